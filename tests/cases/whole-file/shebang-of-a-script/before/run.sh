#!/bin/sh
set -e
echo a
