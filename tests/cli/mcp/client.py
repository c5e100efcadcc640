"""Drives the server with the official client, by each way that it begins. Arguments: the binary, a repository."""

import asyncio
import os
import sys

import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

BINARY, REPO = sys.argv[1:]
NAMES = ("GIT_", "LC_", "XDG_", "TMPDIR", "TZ")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name.startswith(NAMES)}
SERVER = StdioServerParameters(
    command=BINARY, args=["mcp"], env={**ENVIRONMENT, "GIT_DIR": os.environ["ELSEWHERE"]}, cwd="/"
)


def content(result):
    """What a tool gave, by either version of the package."""
    modern = getattr(result, "structured_content", None)
    return modern if modern is not None else result.structuredContent


async def land(client, old, new):
    edit = {"path": "src/a.rs", "op": "edit", "old": old, "new": new, "why": "Rename it"}
    read = content(await client.call_tool("read", {"repo": REPO, "paths": ["src/a.rs"]}))
    arguments = {"repo": REPO, "base": read["base"], "edits": [edit]}
    checked = content(await client.call_tool("check", arguments))
    assert checked["status"] == "checked", checked
    landed = content(await client.call_tool("land", arguments))
    assert landed["status"] == "landed", landed
    refused = content(await client.call_tool("land", arguments | {"base": "HEAD", "edits": [edit | {"old": "nowhere"}]}))
    assert refused["status"] == "refused" and refused["attempt"], refused
    listed = (await client.list_tools()).tools
    assert len(listed) == 8, listed


async def main():
    async with stdio_client(SERVER) as (reading, writing), ClientSession(reading, writing) as session:
        begun = await session.initialize()
        print("handshake:", getattr(begun, "protocol_version", None) or begun.protocolVersion)
        await land(session, "fn a()", "fn y()")
    # The newest revision has no handshake.
    if hasattr(mcp, "Client"):
        async with mcp.Client(SERVER) as client:
            print("without:", client.protocol_version)
            assert client.protocol_version == "2026-07-28"
            await land(client, "fn y()", "fn z()")


asyncio.run(main())
