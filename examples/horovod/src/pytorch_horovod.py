"""A small regression trained with Horovod: every rank has its own data, Horovod averages the gradients."""
import horovod.torch as hvd
import torch
from azureml.core import Run

hvd.init()
torch.manual_seed(1 + hvd.rank())
truth = torch.tensor([[2.0], [-3.0], [0.5]])
inputs = torch.randn(256, 3)
targets = inputs @ truth

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
hvd.broadcast_parameters(model.state_dict(), root_rank=0)

run = Run.get_context()
for _ in range(50):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    if hvd.rank() == 0:
        run.log("loss", loss.item())

weights = model.weight.detach().flatten()
print(f"rank {hvd.rank()} of {hvd.size()} weights {[round(w, 3) for w in weights.tolist()]}")
assert torch.allclose(weights, truth.flatten(), atol=1e-2), weights
