"""The counting behind the measures: functions on words and arrays that know nothing of segments,
signatures or files."""
