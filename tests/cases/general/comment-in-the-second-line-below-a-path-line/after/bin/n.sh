#!/bin/sh
# n.sh
set -e
