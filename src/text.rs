//! What a file holds: bytes, line endings, final newline, byte order mark, text or binary.
