"""Firmware: described in `firmware.toml`, compiled once per content, inspected as ELF and DWARF."""

from spinach_nic.firmware.builder import (
    Image,
    build,
    build_described,
    copy_image,
    description_inputs,
    source_folders,
)
from spinach_nic.firmware.card_map import FirmwareMap
from spinach_nic.firmware.compilers import COMPILERS, DEFAULT_COMPILER
from spinach_nic.firmware.container import LoadableImage, loadable_image, read_firmware, write_container
from spinach_nic.firmware.description import ImageDescription, read_descriptions, shipped_root
from spinach_nic.firmware.elf import Executable, Segment, SourceLine, Symbol
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.firmware.local import build_anywhere, description_files, local_descriptions, sources_of
from spinach_nic.firmware.memory_range import MemoryRange

__all__ = [
    "COMPILERS",
    "DEFAULT_COMPILER",
    "Executable",
    "FirmwareError",
    "FirmwareMap",
    "Image",
    "ImageDescription",
    "LoadableImage",
    "MemoryRange",
    "Segment",
    "SourceLine",
    "Symbol",
    "build",
    "build_anywhere",
    "build_described",
    "copy_image",
    "description_files",
    "description_inputs",
    "loadable_image",
    "local_descriptions",
    "read_descriptions",
    "read_firmware",
    "shipped_root",
    "source_folders",
    "sources_of",
    "write_container",
]
