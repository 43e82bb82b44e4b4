#!/bin/sh
# Stands for the gateway in tests of the runner: keeps the receipts of a file ($1), and runs the agent.
receipts=$1
while [ "$1" != -- ]; do
  if [ "$1" = --data ]; then data=$2; fi
  shift
done
shift
mkdir -p "$data/receipts"
cat "$receipts" > "$data/receipts/one.jsonl"
"$@"
