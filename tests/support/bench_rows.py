"""An invented row of the PatSnap bench."""

from __future__ import annotations

from typing import Any

ROW: dict[str, Any] = {
    "pn": "CN000000001A",
    "ipc": "A",
    "content_cn": "一种杯子",
    "content_en": "A cup",
    "label_1": "character",
    "label_2": "normal_character",
    "label_3": "Zero",
    "special_cn": "Zero",
    "special_en": "Zero",
    "domain": "Zero",
}
