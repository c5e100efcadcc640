#!/usr/bin/env bash
# bin/n.sh
set -e
