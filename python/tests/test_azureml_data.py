"""Data without a server: paths, patterns, names, references, what a running script sees."""

import os

import pytest
from fake_workspace import FakeWorkspace, datastore

from azureml.core import Dataset, Datastore
from azureml.data import FileDataset, OutputFileDatasetConfig
from azureml.data._in_run import input_datasets
from azureml.data._stored_files import clean_path, common_folder, match_files
from azureml.data.azure_storage_datastore import AzureBlobDatastore, AzureFileDatastore
from azureml.data.data_reference import DataReference
from azureml.data.datapath import DataPath, DataPathComputeBinding
from azureml.data.dataset_consumption_config import DatasetConsumptionConfig
from azureml.exceptions import UserErrorException

FILES = {
    "train/a.png": "0a",
    "train/b.jpg": "0b",
    "train/deep/er/c.png": "0c",
    "trainer/d.png": "0d",
    "val/[x].png": "0e",
    "top.csv": "0f",
}


@pytest.fixture
def workspace():
    made = FakeWorkspace()
    made._client.files = dict(FILES)
    return made


@pytest.fixture
def store(workspace):
    return datastore(workspace)


@pytest.mark.parametrize(
    "pattern, folder, names",
    [
        ("train", "train", ["a.png", "b.jpg", "deep/er/c.png"]),
        ("/train/", "train", ["a.png", "b.jpg", "deep/er/c.png"]),
        ("train/**", "train", ["a.png", "b.jpg", "deep/er/c.png"]),
        ("train/*", "train", ["a.png", "b.jpg"]),
        ("train/*.png", "train", ["a.png"]),
        ("train/**/*.png", "train", ["a.png", "deep/er/c.png"]),
        ("train/?.jpg", "train", ["b.jpg"]),
        ("train/[ab].*", "train", ["a.png", "b.jpg"]),
        ("train/[!a].*", "train", ["b.jpg"]),
        ("*/d.png", "", ["trainer/d.png"]),
        ("top.csv", "", ["top.csv"]),
        ("**/*.csv", "", ["top.csv"]),
        ("none", "none", []),
        ("train/none*", "train", []),
    ],
)
def test_patterns(workspace, pattern, folder, names):
    found_folder, files = match_files(workspace, "s", pattern)
    start = len(folder) + 1 if folder else 0
    assert (found_folder, [file.path[start:] for file in files]) == (folder, names)


def test_everything(workspace):
    assert len(match_files(workspace, "s", "")[1]) == len(FILES)
    assert len(match_files(workspace, "s", "**")[1]) == len(FILES)


def test_paths():
    assert clean_path("./a//b/") == "a/b"
    assert clean_path(None) == ""
    with pytest.raises(UserErrorException, match=r"\.\."):
        clean_path("a/../../b")
    assert common_folder(["a/b/c", "a/b", "a/bx"]) == "a"
    assert common_folder([]) == ""


def test_datasets_of_several_paths(store):
    made = Dataset.File.from_files([(store, "train/*.png"), store.path("val")])
    assert made.to_path() == ["/train/a.png", "/val/[x].png"]
    assert isinstance(made, FileDataset) and isinstance(made, Dataset)


def test_parts_of_a_dataset_keep_their_paths(store):
    made = Dataset.File.from_files((store, "train"))
    assert made.take(1).to_path() == ["/a.png"]
    assert made.skip(2).to_path() == ["/deep/er/c.png"]
    first, second = made.random_split(0.5, seed=3)
    assert sorted(first.to_path() + second.to_path()) == made.to_path()
    assert first.to_path() == made.random_split(0.5, seed=3)[0].to_path()
    with pytest.raises(UserErrorException, match="from 0 to 1"):
        made.random_split(50)
    with pytest.raises(UserErrorException, match="No files"):
        made.take(0)


@pytest.mark.parametrize(
    "path, words",
    [
        ("./data", "upload_directory"),
        ([], "empty"),
        (3, "web address"),
        (("store", "x"), "datastore"),
    ],
)
def test_wrong_paths(path, words):
    with pytest.raises(UserErrorException, match=words):
        Dataset.File.from_files(path)


def test_there_must_be_files_unless_told(store):
    with pytest.raises(UserErrorException, match="no files at 'none'"):
        Dataset.File.from_files((store, "none"))
    Dataset.File.from_files((store, "none"), validate=False)
    with pytest.raises(NotImplementedError):
        Dataset.File.from_files((store, "train"), partition_format="{x}")
    with pytest.raises(UserErrorException, match="from_files"):
        Dataset()


def test_web_datasets_need_a_workspace():
    made = Dataset.File.from_files("https://example.org/a/b.csv")
    assert made.to_path() == ["/b.csv"]
    with pytest.raises(UserErrorException, match="register"):
        made._files()


def test_kinds_of_datastores(workspace):
    assert isinstance(datastore(workspace), AzureBlobDatastore)
    facts = {"name": "f", "type": "AzureFile", "properties": {"account_name": "acc"}}
    share = Datastore(workspace, "f", facts)
    assert isinstance(share, AzureFileDatastore)
    assert (share.account_name, share.account_key, share.datastore_type) == (
        "acc",
        None,
        "AzureFile",
    )
    with pytest.raises(NotImplementedError, match="register_azure_blob_container"):
        Datastore.register_azure_sql_database(workspace, "x")


def test_references(store):
    whole = store.as_mount()
    assert str(whole) == "$AZUREML_DATAREFERENCE_workspaceblobstore"
    below = store.path("train").path("deep").as_download("x", overwrite=True)
    assert below.path_on_datastore == "train/deep"
    config = below.to_config()
    assert (config.datastore_name, config.mode, config.path_on_datastore) == (
        "workspaceblobstore",
        "download",
        "train/deep",
    )
    assert store.path("a").data_reference_name != store.path("a").data_reference_name
    for wrong in ({"mode": "carry"}, {"data_reference_name": "a-b"}):
        with pytest.raises(UserErrorException):
            DataReference(store, **wrong)
    with pytest.raises(UserErrorException, match="Datastore"):
        DataReference("workspaceblobstore")


def test_data_paths(store):
    path = DataPath(datastore=store, path_on_datastore="train", name="birds")
    reference = DataPathComputeBinding(mode="download").create_data_reference(datapath=path)
    assert (reference.mode, reference.data_reference_name) == ("download", "birds")
    assert DataPath.create_from_data_reference(reference).path_on_datastore == "train"
    with pytest.raises(UserErrorException, match="datastore"):
        DataPath().create_data_reference()


def test_inputs(store):
    made = Dataset.File.from_files((store, "train"))
    assert made.as_named_input("x").mode == "direct"
    assert made.as_mount().mode == "mount"
    assert made.as_named_input("x").as_download("p").path_on_compute == "p"
    assert DatasetConsumptionConfig("x", made, "mount").name == "x"
    for name in ("a-b", "1a", ""):
        with pytest.raises(UserErrorException, match="name"):
            made.as_named_input(name)
    with pytest.raises(UserErrorException, match="dataset"):
        DatasetConsumptionConfig("x", "y")
    with pytest.raises(NotImplementedError):
        made.as_hdfs()


def test_outputs_can_be_described():
    made = OutputFileDatasetConfig(name="o", destination=None).as_upload(overwrite=True)
    assert made.register_on_complete(name="r") is made
    with pytest.raises(NotImplementedError, match="outputs"):
        made.as_input("x")


def test_what_a_script_sees(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.txt").write_text("a")
    variables = {
        "AZUREML_DATAREFERENCE_plain": "/data/plain",
        "AZUREML_DATAREFERENCE_whole": str(tmp_path),
        "ROOST_DATASET_whole": "id-1",
        "PATH": "x",
    }
    found = input_datasets(FakeWorkspace, variables)
    assert sorted(found) == ["plain", "whole"]
    assert found["plain"] == "/data/plain"
    whole = found["whole"]
    assert isinstance(whole, FileDataset) and os.fspath(whole) == str(tmp_path)
    assert whole.id == "id-1"
    assert whole.to_path() == ["/deep/a.txt"]
    assert whole.download() == [str(tmp_path / "deep/a.txt")]
    copy = tmp_path / "copy"
    assert whole.download(str(copy)) == [str(copy / "deep/a.txt")]
    with pytest.raises(UserErrorException, match="overwrite=True"):
        whole.download(str(copy))
    with whole.mount() as mount:
        assert os.listdir(mount.mount_point)
    one = input_datasets(
        FakeWorkspace,
        {"AZUREML_DATAREFERENCE_one": whole.download()[0], "ROOST_DATASET_one": "id-2"},
    )["one"]
    assert one.to_path() == ["/a.txt"] and one.download() == [os.fspath(one)]
