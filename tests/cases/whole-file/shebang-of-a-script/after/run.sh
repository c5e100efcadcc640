#!/bin/sh
set -eu
echo a
