#!/bin/sh
# Creates the secrets that deploy/compose.yaml reads, in a folder that git ignores. Keeps existing ones.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
mkdir -p "$folder"
printf '*\n' > "$folder/.gitignore"
umask 022

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
keep() { [ -s "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"; }

for name in mysql_password user_id_secret session_secret oauth_client_secret; do
  keep "$name" "$(random)"
done
keep database_url "mysql://reading_list:$(cat "$folder/mysql_password")@mysql:3306/reading_list"
