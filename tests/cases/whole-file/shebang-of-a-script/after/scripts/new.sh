#!/bin/bash
set -e
