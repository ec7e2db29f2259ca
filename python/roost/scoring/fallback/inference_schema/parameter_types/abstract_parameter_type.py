"""What every kind of sample can do; for kinds of the user's own too."""

from abc import ABC, abstractmethod
from typing import Any, Dict


class AbstractParameterType(ABC):
    def __init__(self, sample_input: Any) -> None:
        self.sample_input = sample_input
        self.sample_data_type = type(sample_input)

    @abstractmethod
    def deserialize_input(self, input_data: Any) -> Any:
        """From what JSON gave to what the sample is; ValueError or TypeError if it cannot be."""

    @abstractmethod
    def input_to_swagger(self) -> Dict[str, Any]:
        """The schema, with the sample as its example."""

    def supported_versions(self) -> Any:
        return ["2.0", "3.0", "3.1"]
