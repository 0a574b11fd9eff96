"""Tape drives and the libraries that hold them: the files of the library's folder ``tape``."""

from iowatt.model.library.tape.parts import (
    MediaLibraryFigures,
    MediaLibraryFile,
    TapeDriveFigures,
    TapeDriveFile,
    TapeDrivePower,
    media_library,
    names,
    tape_drive,
)

__all__ = [
    "MediaLibraryFigures", "MediaLibraryFile", "TapeDriveFigures", "TapeDriveFile", "TapeDrivePower",
    "media_library", "names", "tape_drive",
]  # fmt: skip
