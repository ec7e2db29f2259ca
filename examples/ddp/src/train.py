"""DistributedDataParallel on data that it makes itself; runs on CPUs (gloo) and GPUs (nccl), as one process or many."""
import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from azureml.core import Run

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--broken-shard", type=int, default=-1, help="the data of this rank has a hole, to see a failure")
arguments = parser.parse_args()

# Where nothing has set the variables, this is the only process.
for name, value in (("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", "29500"), ("RANK", "0"), ("WORLD_SIZE", "1")):
    os.environ.setdefault(name, value)
dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
rank, world = dist.get_rank(), dist.get_world_size()
device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if torch.cuda.is_available() else torch.device("cpu")
print(f"rank {rank} of {world} on {os.uname().nodename}", flush=True)

# The same data everywhere, of which each rank takes its share.
random = torch.Generator().manual_seed(1)
x = torch.randn(1024, 8, generator=random)
y = x @ torch.randn(8, 1, generator=random) + 0.01 * torch.randn(1024, 1, generator=random)
data = TensorDataset(x, y)
sampler = DistributedSampler(data, seed=1)
loader = DataLoader(data, batch_size=128 // world, sampler=sampler)

torch.manual_seed(1)
model = DistributedDataParallel(torch.nn.Linear(8, 1).to(device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
run = Run.get_context()
for epoch in range(arguments.epochs):
    sampler.set_epoch(epoch)
    total = torch.zeros(1)
    for batch, (features, wanted) in enumerate(loader):
        if rank == arguments.broken_shard and epoch == 1:
            raise ValueError(f"batch {batch} of shard {rank} has no labels")
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(features.to(device)), wanted.to(device))
        loss.backward()
        optimizer.step()
        total += loss.detach().cpu()
    dist.all_reduce(total)
    if rank == 0:
        loss = total.item() / len(loader) / world
        print(f"epoch {epoch} loss {loss:.4f}", flush=True)
        run.log("loss", loss)

if rank == 0:
    os.makedirs("outputs", exist_ok=True)
    torch.save(model.module.state_dict(), "outputs/model.pt")
dist.destroy_process_group()
