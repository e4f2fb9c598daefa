"""Files of older office programs, and of newer ones under a password: what they are, for they cannot be read."""

from seekread.errors import Unreadable

CONTENTS: tuple[tuple[str, str], ...] = (
    ("WordDocument", "a Word document of the format before 2007 (.doc); save it as .docx"),
    ("PowerPoint Document", "a presentation of the format before 2007 (.ppt); save it as .pptx"),
    ("Workbook", "a workbook of the format before 2007 (.xls); save it as .xlsx"),
    ("Book", "a workbook of a format before 1997 (.xls); save it as .xlsx"),
    ("__substg1.0_", "a message of Outlook (.msg); save it as .eml"),
)
"""The stream that tells each kind, and what it is."""


def refuse_storage(body: bytes) -> Unreadable:
    """Why a file in Microsoft's compound format cannot be read."""
    if "EncryptedPackage".encode("utf-16-le") in body:
        return Unreadable("paywalled", "the file is protected with a password")
    for stream, what in CONTENTS:
        if stream.encode("utf-16-le") in body:
            return Unreadable("unsupported_type", f"the file is {what}")
    return Unreadable("unsupported_type", "the address holds application/x-ole-storage, which cannot be read as text")
