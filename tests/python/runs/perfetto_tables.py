"""The tables that Perfetto's trace processor makes of a timeline, by Perfetto's definition of the format.

It allows questions in SQL where the trace processor, which no package contains, is missing. The tables
`slice`, `track`, `counter` and `flow` have the columns of its documentation, as far as questions here use
them. No code of the project is used to read the file.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE track (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER);
CREATE TABLE counter_track (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER, unit TEXT);
CREATE TABLE slice (id INTEGER PRIMARY KEY, ts INTEGER, dur INTEGER, name TEXT, track_id INTEGER,
                    depth INTEGER, parent_id INTEGER);
CREATE TABLE counter (id INTEGER PRIMARY KEY, ts INTEGER, track_id INTEGER, value REAL);
CREATE TABLE flow (id INTEGER PRIMARY KEY, slice_out INTEGER, slice_in INTEGER);
"""


class Tables:
    """The tables of one timeline."""

    def __init__(self, definition: Any, timeline: Path) -> None:
        """Read a timeline by `definition`, the module `perfetto_trace_pb2`."""
        self._database = sqlite3.connect(":memory:")
        self._database.executescript(SCHEMA)
        self._definition = definition
        self._names: dict[int, str] = {}
        self._open: dict[int, list[int]] = {}
        self._slices: list[list[Any]] = []
        self._flows: dict[int, int] = {}
        trace = definition.Trace()
        trace.ParseFromString(timeline.read_bytes())
        for packet in trace.packet:
            self._names.update({found.iid: found.name for found in packet.interned_data.event_names})
            if packet.HasField("track_descriptor"):
                self._add_track(packet.track_descriptor)
            if packet.HasField("track_event"):
                self._add_event(packet.timestamp, packet.track_event)
        self._database.executemany("INSERT INTO slice VALUES (?, ?, ?, ?, ?, ?, ?)", self._slices)

    def query(self, question: str) -> Sequence[tuple[Any, ...]]:
        """The rows that answer a question in SQL."""
        return self._database.execute(question).fetchall()

    def _add_track(self, track: Any) -> None:
        columns = (track.uuid, track.name, track.parent_uuid or None)
        self._database.execute("INSERT INTO track VALUES (?, ?, ?)", columns)
        if track.HasField("counter"):
            with_unit = (*columns, track.counter.unit_name)
            self._database.execute("INSERT INTO counter_track VALUES (?, ?, ?, ?)", with_unit)

    def _add_event(self, time: int, event: Any) -> None:
        stack = self._open.setdefault(event.track_uuid, [])
        match event.type:
            case self._definition.TrackEvent.TYPE_SLICE_BEGIN:
                number = len(self._slices) + 1
                parent = stack[-1] if stack else None
                name = self._names[event.name_iid]
                self._slices.append([number, time, -1, name, event.track_uuid, len(stack), parent])
                stack.append(number)
                for flow in event.flow_ids:
                    self._add_to_flow(flow, number)
            case self._definition.TrackEvent.TYPE_SLICE_END:
                ended = self._slices[stack.pop() - 1]
                ended[2] = time - ended[1]
            case _:
                kind = "double_counter_value" if event.HasField("double_counter_value") else "counter_value"
                columns = (time, event.track_uuid, getattr(event, kind))
                self._database.execute("INSERT INTO counter (ts, track_id, value) VALUES (?, ?, ?)", columns)

    def _add_to_flow(self, flow: int, number: int) -> None:
        if flow in self._flows:
            columns = (self._flows[flow], number)
            self._database.execute("INSERT INTO flow (slice_out, slice_in) VALUES (?, ?)", columns)
        self._flows[flow] = number
