"""A linear model trained by gradient descent; every rank has its own data and MPI averages the gradients."""
import argparse

import numpy
from azureml.core import Run
from mpi4py import MPI

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=50)
steps = parser.parse_args().steps

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
print(f"rank {rank} of {size} on {MPI.Get_processor_name()}", flush=True)

truth = numpy.array([2.0, -3.0, 0.5])
random = numpy.random.default_rng(rank)
inputs = random.normal(size=(256, 3))
targets = inputs @ truth

weights = numpy.zeros(3)
run = Run.get_context()
for _ in range(steps):
    errors = inputs @ weights - targets
    gradient = world.allreduce(inputs.T @ errors / len(targets)) / size
    loss = world.allreduce(float(numpy.mean(errors**2))) / size
    weights -= 0.5 * gradient
    if rank == 0:
        run.log("loss", loss)

print(f"rank {rank} weights {numpy.round(weights, 3).tolist()}")
assert numpy.allclose(weights, truth, atol=1e-3), weights
