"""Chicken or turkey? A network that has learned which way a bird looks gets a new head.

python3 pytorch_train.py --num_epochs 10 --output_dir ./outputs
"""

import argparse
import copy
import os
import random
import time

import torch
from PIL import Image
from roost.run import run
from torch import nn

from draw_birds import KINDS, draw_bird, draw_data

BATCH = 16
UNLABELLED = 480
PRETRAIN_EPOCHS = 10


class BirdNet(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        widths = [3, 16, 32, 64, 96]
        blocks = []
        for before, after in zip(widths, widths[1:]):
            blocks += [
                nn.Conv2d(before, after, 3, padding=1, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
                nn.MaxPool2d(2),
            ]
        self.features = nn.Sequential(*blocks, nn.AdaptiveMaxPool2d(1), nn.Flatten())
        self.head = nn.Linear(widths[-1], outputs)

    def forward(self, pictures):
        return self.head(self.features(pictures))


def to_tensor(picture):
    raw = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    return raw.view(picture.height, picture.width, 3).permute(2, 0, 1).float() / 127.5 - 1


def load_split(data_dir, split):
    pictures, labels = [], []
    for label, kind in enumerate(KINDS):
        folder = os.path.join(data_dir, split, kind)
        for name in sorted(os.listdir(folder)):
            with Image.open(os.path.join(folder, name)) as picture:
                pictures.append(to_tensor(picture.convert("RGB")))
            labels.append(label)
    return torch.stack(pictures), torch.tensor(labels)


def draw_unlabelled():
    """Birds of either kind that all look to the right."""
    generators = [random.Random(f"unlabelled/{i}") for i in range(UNLABELLED)]
    return torch.stack(
        [to_tensor(draw_bird(rng.choice(KINDS), rng, facing=1)) for rng in generators]
    )


def augment(pictures):
    """Mirrors half of the pictures and moves all. Returns them, and which were mirrored."""
    mirrored = torch.rand(len(pictures)) < 0.5
    pictures = torch.where(mirrored[:, None, None, None], pictures.flip(3), pictures)
    dy, dx = torch.randint(-4, 5, (2,)).tolist()
    return pictures.roll((dy, dx), (2, 3)), mirrored


def pretrain(num_epochs):
    """Learns features without labels: the task is to say which pictures were mirrored."""
    model = BirdNet(outputs=2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
    pictures = draw_unlabelled()
    model.train()
    for epoch in range(num_epochs):
        right = 0
        for batch in pictures[torch.randperm(len(pictures))].split(32):
            batch, mirrored = augment(batch)
            scores = model(batch)
            optimizer.zero_grad()
            nn.functional.cross_entropy(scores, mirrored.long()).backward()
            optimizer.step()
            right += int((scores.argmax(1) == mirrored).sum())
        print(
            f"Pretrain epoch {epoch}/{num_epochs - 1} Acc: {right / len(pictures):.4f}", flush=True
        )
    return model


def run_epoch(model, pictures, labels, optimizer=None):
    """Trains if there is an optimizer. Returns mean loss and accuracy."""
    model.train(optimizer is not None)
    order = torch.randperm(len(labels)) if optimizer else torch.arange(len(labels))
    loss_sum, right = 0.0, 0
    for chosen in order.split(BATCH):
        batch, truth = pictures[chosen], labels[chosen]
        with torch.set_grad_enabled(optimizer is not None):
            scores = model(augment(batch)[0] if optimizer else batch)
            loss = nn.functional.cross_entropy(scores, truth)
        if optimizer:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        loss_sum += loss.item() * len(truth)
        right += int((scores.argmax(1) == truth).sum())
    return loss_sum / len(labels), right / len(labels)


def save_checkpoint(path, state):
    """Under another name first: whoever ends the script meanwhile leaves the last one whole."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def load_checkpoint(path, num_epochs):
    """What an earlier attempt of this run left, if there is anything to go on with."""
    if not os.path.isfile(path):
        return None
    state = torch.load(path)
    return state if state["epoch"] < num_epochs else None


def fine_tune(model, args, checkpoint, path):
    """Returns the model of the epoch with the best validation accuracy, and that accuracy."""
    splits = {split: load_split(args.data_dir, split) for split in ("train", "val")}
    optimizer = torch.optim.SGD(model.parameters(), lr=args.learning_rate, momentum=args.momentum)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    first, best_acc, best_weights = 0, 0.0, copy.deepcopy(model.state_dict())
    if checkpoint:
        for name, part in parts.items():
            part.load_state_dict(checkpoint[name])
        torch.set_rng_state(checkpoint["random"])
        first, best_acc = checkpoint["epoch"], checkpoint["best_acc"]
        best_weights = checkpoint["best_weights"]
    start = time.time()
    num_epochs = args.num_epochs
    for epoch in range(first, num_epochs):
        print(f"Epoch {epoch}/{num_epochs - 1}\n----------")
        for split, (pictures, labels) in splits.items():
            loss, acc = run_epoch(model, pictures, labels, optimizer if split == "train" else None)
            print(f"{split} Loss: {loss:.4f} Acc: {acc:.4f}", flush=True)
            run.log(f"{split}_loss", loss, step=epoch)
            run.log(f"{split}_acc", acc, step=epoch)
        scheduler.step()
        if acc > best_acc:
            best_acc, best_weights = acc, copy.deepcopy(model.state_dict())
        # Before the metric is logged: a sweep may end or pause the run because of it.
        state = {name: part.state_dict() for name, part in parts.items()}
        state.update(epoch=epoch + 1, best_acc=best_acc, best_weights=best_weights)
        save_checkpoint(path, {**state, "random": torch.get_rng_state()})
        run.log("best_val_acc", best_acc, step=epoch)
        print()
    elapsed = time.time() - start
    print(f"Training complete in {elapsed // 60:.0f}m {elapsed % 60:.0f}s")
    print(f"Best val Acc: {best_acc:.4f}")
    model.load_state_dict(best_weights)
    return model, best_acc


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_epochs", type=int, default=10)
    parser.add_argument("--output_dir", default="./outputs")
    parser.add_argument("--learning_rate", type=float, default=0.003)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--pretrain_epochs", type=int, default=PRETRAIN_EPOCHS)
    parser.add_argument("--data_dir", default="data", help="drawn when missing")
    args = parser.parse_args()

    torch.manual_seed(0)
    if not os.path.isdir(args.data_dir):
        draw_data(args.data_dir)
    path = os.path.join(args.output_dir, "checkpoint", "last.pt")
    checkpoint = load_checkpoint(path, args.num_epochs)
    if checkpoint:
        print(f"goes on after epoch {checkpoint['epoch'] - 1}: {path}", flush=True)
        model = BirdNet(outputs=len(KINDS))
    else:
        run.log("lr", args.learning_rate)
        run.log("momentum", args.momentum)
        model = pretrain(min(args.num_epochs, args.pretrain_epochs))
        model.head = nn.Linear(model.head.in_features, len(KINDS))
    model, best_acc = fine_tune(model, args, checkpoint, path)

    os.makedirs(args.output_dir, exist_ok=True)
    path = os.path.join(args.output_dir, "model.pt")
    torch.save({"classes": KINDS, "val_acc": best_acc, "weights": model.state_dict()}, path)
    print(f"saved {path}")


if __name__ == "__main__":
    main()
