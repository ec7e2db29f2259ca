"""Chicken or turkey, as far as twelve numbers can tell: a small training that reports through azureml.core."""
import argparse
import os

import torch
from azureml.core.run import Run
from torch import nn

run = Run.get_context()


def birds(count: int, seed: int):
    """As many measured birds, every other one a turkey."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(count) % 2
    return torch.randn(count, 12, generator=generator) + labels[:, None] * 0.9, labels


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_epochs", type=int, default=25)
    parser.add_argument("--output_dir", type=str)
    parser.add_argument("--learning_rate", type=float, default=0.05)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    train, train_labels = birds(240, 1)
    validation, validation_labels = birds(200, 2)
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.learning_rate, momentum=0.9)
    run.log("lr", float(arguments.learning_rate))
    best = 0.0
    for epoch in range(arguments.num_epochs):
        loss = nn.functional.cross_entropy(model(train), train_labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        accuracy = (model(validation).argmax(1) == validation_labels).float().mean().item()
        best = max(best, accuracy)
        run.log("best_val_acc", best)
        print(f"Epoch {epoch}/{arguments.num_epochs - 1} loss {loss.item():.4f} val acc {accuracy:.4f}", flush=True)
    os.makedirs(arguments.output_dir, exist_ok=True)
    torch.save(model, os.path.join(arguments.output_dir, "model.pt"))


main()
