"""Computes on a real server, by the calls and the printed lines of Azure's notebooks."""
from typing import Any

import pytest

from processes import wait_until
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


@pytest.fixture
def cluster(ws: Any, name: str) -> Any:
    from azureml.core.compute import AmlCompute, ComputeTarget

    short = ("c-" + name.replace("test-", ""))[:16].rstrip("-")
    config = AmlCompute.provisioning_configuration(vm_size="STANDARD_D2_V2", max_nodes=2,
                                                   idle_seconds_before_scaledown="300")
    return ComputeTarget.create(ws, short, config)


def test_found_or_made(ws: Any, capsys: Any) -> None:
    from azureml.core.compute import AmlCompute, ComputeTarget
    from azureml.core.compute_target import ComputeTargetException

    with pytest.raises(ComputeTargetException, match="gpu-cluster"):
        ComputeTarget(workspace=ws, name="gpu-cluster")
    config = AmlCompute.provisioning_configuration(vm_size="STANDARD_NC6", max_nodes=4)
    made = ComputeTarget.create(ws, "gpu-cluster", config)
    made.wait_for_completion(show_output=True, min_node_count=None, timeout_in_minutes=20)
    assert capsys.readouterr().out == ("Creating\nSucceeded\nAmlCompute wait for completion finished\n"
                                       "Minimum number of nodes requested have been provisioned\n")
    found = ComputeTarget(workspace=ws, name="gpu-cluster")
    assert isinstance(found, AmlCompute) and found.type == "AmlCompute"
    found.wait_for_completion(show_output=True)
    assert capsys.readouterr().out.startswith("Succeeded\nAmlCompute wait")
    assert "gpu-cluster" in ws.compute_targets
    assert isinstance(AmlCompute(ws, "gpu-cluster"), AmlCompute)


def test_status(cluster: Any) -> None:
    status = cluster.get_status().serialize()
    assert list(status) == [
        "currentNodeCount", "targetNodeCount", "nodeStateCounts", "allocationState", "allocationStateTransitionTime",
        "errors", "creationTime", "modifiedTime", "provisioningState", "provisioningStateTransitionTime",
        "scaleSettings", "vmPriority", "vmSize"]
    assert status["scaleSettings"] == {"minNodeCount": 0, "maxNodeCount": 2, "nodeIdleTimeBeforeScaleDown": "PT300S"}
    assert status["nodeStateCounts"] == dict.fromkeys(
        (f"{kind}NodeCount" for kind in ("preparing", "running", "idle", "unusable", "leaving", "preempted")), 0)
    assert status["allocationStateTransitionTime"].endswith("+00:00")
    assert (status["vmPriority"], status["vmSize"]) == ("Dedicated", "STANDARD_D2_V2")
    assert cluster.status.serialize() == status
    assert cluster.get_status().allocation_state == "Steady" and cluster.scale_settings.maximum_node_count == 2
    assert (cluster.provisioning_state, cluster.provisioning_errors) == ("Succeeded", None)
    assert cluster.serialize()["name"] == cluster.name


def test_nodes_that_were_asked_for_come(ws: Any, capsys: Any) -> None:
    from azureml.core.compute import BatchAiCompute, ComputeTarget

    config = BatchAiCompute.provisioning_configuration(vm_size="STANDARD_D2_V2", autoscale_enabled=True,
                                                       cluster_min_nodes=1, cluster_max_nodes=2)
    made = ComputeTarget.create(ws, "batch", config)
    made.wait_for_completion(show_output=True, min_node_count=1, timeout_in_minutes=1)
    assert "Minimum number of nodes requested have been provisioned" in capsys.readouterr().out
    (node,) = made.list_nodes()
    assert node["nodeState"] in ("idle", "preparing") and node["runId"] is None
    made.update(min_nodes=0, idle_seconds_before_scaledown=0)
    assert made.get_status().scale_settings.minimum_node_count == 0


def test_nodes_that_do_not_come_in_time(ws: Any, capsys: Any) -> None:
    from azureml.core.compute import AmlCompute, ComputeTarget

    config = AmlCompute.provisioning_configuration(vm_size="STANDARD_D2_V2", min_nodes=1, max_nodes=1)
    made = ComputeTarget.create(ws, "late", config)
    made.wait_for_completion(show_output=True, timeout_in_minutes=0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["Creating", "Succeeded", "AmlCompute wait for completion finished",
                         "Wait timeout has been reached"]
    assert lines[4].startswith('Current provisioning state of AmlCompute is "Succeeded" and current node count is "')
    made.update(min_nodes=0, idle_seconds_before_scaledown=0)


def test_nodes_that_will_not_come_are_not_waited_for(cluster: Any, capsys: Any) -> None:
    cluster.wait_for_completion(show_output=True, min_node_count=2, timeout_in_minutes=20)
    assert "0 of 2 nodes" in capsys.readouterr().out


def test_runs_on_it(ws: Any, cluster: Any, experiment: Any, script: Any, gate: Any) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.exceptions import ComputeTargetException

    folder = script(gate.wait_code).folder
    run = experiment.submit(ScriptRunConfig(folder, "train.py", compute_target=cluster))
    assert [active.id for active in cluster.get_active_runs()] == [run.id]
    wait_until(lambda: run.get_status() == "Running", 30, "it runs")
    status = cluster.get_status()
    assert (status.current_node_count, status.target_node_count, status.node_state_counts.running_node_count) == (1, 1, 1)
    assert status.allocation_state == "Steady"
    assert status.allocation_state_transition_time >= status.creation_time
    (node,) = cluster.list_nodes()
    assert list(node) == ["nodeId", "port", "publicIpAddress", "privateIpAddress", "nodeState", "runId"]
    assert (node["nodeState"], node["runId"]) == ("running", run.id) and node["nodeId"].startswith(cluster.name)
    with pytest.raises(ComputeTargetException, match=f"compute {cluster.name}; cancel them or wait"):
        cluster.delete()
    gate.open()
    assert run.wait_for_completion()["target"] == cluster.name
    assert cluster.get_active_runs() == []


def test_update_and_delete(ws: Any, cluster: Any, capsys: Any) -> None:
    from azureml.core.compute import ComputeTarget
    from azureml.exceptions import ComputeTargetException

    cluster.update(max_nodes=5)
    assert ComputeTarget(ws, cluster.name).scale_settings.maximum_node_count == 5
    with pytest.raises(ComputeTargetException, match=r"delete\(\)"):
        cluster.detach()
    cluster.delete()
    assert cluster.provisioning_state == "Deleting"
    cluster.wait_for_completion(show_output=True, is_delete_operation=True, timeout_in_minutes=1)
    assert capsys.readouterr().out == 'Deleting\nSucceededProvisioning operation finished, operation "Succeeded"\n'
    with pytest.raises(ComputeTargetException):
        ComputeTarget(ws, cluster.name)
    with pytest.raises(ComputeTargetException):
        cluster.refresh_state()


def test_what_only_azure_has_is_ignored_with_a_word(ws: Any, capsys: Any) -> None:
    from azureml.core.compute import AmlCompute, ComputeTarget

    config = AmlCompute.provisioning_configuration(vm_size="", max_nodes=1, vnet_name="net", admin_username="me")
    assert ComputeTarget.create(ws, "in-a-net", config).vm_size == "STANDARD_NC6"
    assert capsys.readouterr().err == "Compute in-a-net: Roost has no use for admin_username, vnet_name and ignores it.\n"


def test_one_machine(ws: Any, experiment: Any, script: Any, capsys: Any) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.core.compute import ComputeInstance, ComputeTarget, DsvmCompute

    config = ComputeInstance.provisioning_configuration(vm_size="STANDARD_D3_V2", ssh_public_access=False)
    instance = ComputeInstance.create(ws, "instance", config)
    instance.wait_for_completion(show_output=True)
    assert capsys.readouterr().out == 'Creating\nSucceededProvisioning operation finished, operation "Succeeded"\n'
    assert isinstance(instance, ComputeInstance) and instance.get_status().state == "Running"
    run = experiment.submit(ScriptRunConfig(script("").folder, "train.py", compute_target=instance))
    assert run.wait_for_completion()["target"] == "instance"
    instance.stop(wait_for_completion=True, show_output=True)
    wait_until(lambda: instance.get_status().state == "Stopped", 30, "its node ends")
    instance.start(wait_for_completion=True)
    assert instance.get_status().serialize()["state"] == "Running"
    assert ComputeInstance(workspace=ws, name="instance").vm_size == "STANDARD_D3_V2"
    instance.delete()
    instance.wait_for_completion(is_delete_operation=True)
    dsvm = DsvmCompute.create(ws, name="dsvm", provisioning_configuration=DsvmCompute.provisioning_configuration("STANDARD_D2_V2"))
    dsvm.wait_for_completion(show_output=True)
    assert isinstance(dsvm, DsvmCompute) and dsvm.scale_settings.maximum_node_count == 1
    assert "dsvm" in [target.name for target in ComputeTarget.list(ws)]


def test_identities_are_ignored_with_a_word(cluster: Any, capsys: Any) -> None:
    cluster.add_identity("SystemAssigned")
    cluster.remove_identity()
    assert capsys.readouterr().err.count("ignores") == 2 and cluster.identity_type is None


def test_sizes(ws: Any) -> None:
    from azureml.core.compute import AmlCompute

    sizes = {size["name"].upper(): size for size in AmlCompute.supported_vmsizes(workspace=ws)}
    assert sizes["STANDARD_NC6"]["gpus"] == 1 and sizes["STANDARD_NC6"]["vCPUs"] == 6


@pytest.mark.parametrize("settings, words", [
    ({"vm_priority": "cheap"}, "lowpriority"),
    ({"min_nodes": 5, "max_nodes": 2}, "min_nodes"),
    ({"max_nodes": 0}, "max_nodes"),
    ({"max_nodes": "many"}, "whole number"),
    ({"idle_seconds_before_scaledown": -1}, "idle_seconds"),
    ({"vm_size": 6}, "vm_size"),
])
def test_wrong_settings(settings: Any, words: str) -> None:
    from azureml.core.compute import AmlCompute
    from azureml.core.compute_target import ComputeTargetException

    with pytest.raises(ComputeTargetException, match=words):
        AmlCompute.provisioning_configuration(**settings)


def test_wrong_use(ws: Any, cluster: Any, experiment: Any, script: Any) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.core.compute import AmlCompute, ComputeTarget
    from azureml.exceptions import ComputeTargetException, ExperimentExecutionException

    config = AmlCompute.provisioning_configuration()
    assert (config.vm_size, config.max_nodes) == ("STANDARD_NC6", 4)
    for wrong_name in ("x", "under_score", "1st", "far-too-long-for-the-name-of-a-compute"):
        with pytest.raises(ComputeTargetException):
            ComputeTarget.create(ws, wrong_name, config)
    with pytest.raises(ComputeTargetException):
        ComputeTarget.create(ws, cluster.name, config)
    with pytest.raises(ComputeTargetException, match="provisioning_configuration"):
        ComputeTarget.create(ws, "fine", {"vm_size": "x"})
    with pytest.raises(NotImplementedError, match="ComputeTarget.create"):
        ComputeTarget.attach(ws, "x", None)
    with pytest.raises(ExperimentExecutionException, match="never-made"):
        experiment.submit(ScriptRunConfig(script("").folder, "train.py", compute_target="never-made"))
