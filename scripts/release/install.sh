#!/bin/sh
# Installs gc @VERSION@ for the current user, without root. `sh install.sh --help` lists the options.
set -eu

version='@VERSION@'
# Base64 key of minisign; empty if the release is unsigned.
public_key='@PUBLIC_KEY@'
url=${GC_INSTALL_URL:-'@URL@'}
folder=${GC_INSTALL_DIR:-"${HOME:-}/.local/bin"}
target=${GC_INSTALL_TARGET:-}

# SHA-256 of the file for each platform, from the release that this script belongs to.
checksum_of() {
  case $1 in
@CHECKSUMS@
  esac
}

usage() {
  cat <<END
Install gc $version.

  --url URL         folder of the release files (GC_INSTALL_URL)${url:+; default $url}
  --dir FOLDER      where to put gc (GC_INSTALL_DIR); default ~/.local/bin
  --target TARGET   platform, such as linux-x64-musl (GC_INSTALL_TARGET); default is this machine
END
}

print() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

detect_target() {
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no gc for the processor $(uname -m)" ;;
  esac
  case $(uname -s) in
    Linux) print "linux-$cpu$(musl_suffix)" ;;
    Darwin)
      # A shell under Rosetta reports the other processor.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || cpu=arm64
      print "darwin-$cpu"
      ;;
    *) fail "this script does not install gc on $(uname -s); on Windows, download gc-$version-windows-x64.exe.gz" ;;
  esac
}

musl_suffix() {
  if ldd --version 2>&1 | grep -qi musl; then
    print -musl
  elif ls /lib/ld-musl-* >/dev/null 2>&1 && ! ls /lib/ld-linux-* /lib64/ld-linux-* >/dev/null 2>&1; then
    print -musl
  fi
}

# download NAME: fetches a file of the release into the temporary folder.
download() {
  if have curl; then
    if [ -t 2 ]; then progress=--progress-bar; else progress=-sS; fi
    curl -fL "$progress" -o "$parts/$1" "$url/$1"
  elif have wget; then
    # Busybox has no --tries, and does not try again.
    if wget --help 2>&1 | grep -q -e --tries; then tries=--tries=3; else tries=-q; fi
    wget -q "$tries" -O "$parts/$1" "$url/$1"
  else
    fail 'downloading needs curl or wget; install one of them'
  fi || fail "$url/$1 could not be downloaded; nothing was installed"
}

sha256() {
  if have sha256sum; then
    sha256sum "$1"
  elif have shasum; then
    shasum -a 256 "$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | cut -c 1-64
}

# verify NAME CHECKSUM: the checksum that this script brings, and the signature if minisign is installed.
verify() {
  found=$(sha256 "$parts/$1")
  [ "$found" = "$2" ] || fail "$1 has the SHA-256 $found instead of $2; it is damaged or forged, and nothing was installed"
  print "SHA-256 matches: $2"
  [ -n "$public_key" ] && have minisign || return 0
  download SHA256SUMS
  download SHA256SUMS.minisig
  minisign -Vqm "$parts/SHA256SUMS" -P "$public_key" >/dev/null 2>&1 ||
    fail 'the signature of SHA256SUMS is not valid; nothing was installed'
  grep -qxF "$2  $1" "$parts/SHA256SUMS" || fail "SHA256SUMS does not list $1; nothing was installed"
  print "The signature of SHA256SUMS is valid."
}

cleanup() {
  [ -z "${parts:-}" ] || rm -rf "$parts"
  [ -z "${fresh:-}" ] || rm -f "$fresh"
}

# One function, called on the last line: a script that was cut off runs nothing.
main() {
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage && exit 0 ;;
      --url | --dir | --target)
        [ $# -gt 1 ] || fail "$1 needs a value"
        case $1 in
          --url) url=$2 ;;
          --dir) folder=$2 ;;
          --target) target=$2 ;;
        esac
        shift 2
        ;;
      *) fail "unknown option $1; --help lists the options" ;;
    esac
  done
  url=${url%/}
  [ -n "$url" ] || fail 'there is no address to download from; add --url with the folder of the release files'
  case $folder in /*) ;; *) fail "the folder $folder is not absolute; set HOME or add --dir" ;; esac
  [ -n "$target" ] || target=$(detect_target)
  checksum=$(checksum_of "$target")
  [ -n "$checksum" ] || fail "this release has no gc for $target"

  have sha256sum || have shasum || have openssl ||
    fail 'checking the download needs sha256sum, shasum or openssl; install one of them'

  trap cleanup EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  parts=$(mktemp -d "${TMPDIR:-/tmp}/gc-install.XXXXXX")
  name="gc-$version-$target.gz"
  print "Downloading $url/$name"
  download "$name"
  verify "$name" "$checksum"
  mkdir -p "$folder"
  fresh="$folder/.gc-install-$$"
  gzip -dc "$parts/$name" >"$fresh"
  chmod 755 "$fresh"
  line=$("$fresh" --version) || {
    [ "$target" = "${target%-musl}" ] || print 'gc needs libstdc++: apk add libstdc++' >&2
    fail "gc does not start on this machine; nothing was installed"
  }
  mv -f "$fresh" "$folder/gc"
  fresh=
  print "Installed $line as $folder/gc"
  case ":$PATH:" in
    *":$folder:"*) print "$folder is in your PATH. Start with: gc help getting-started" ;;
    *) print "$folder is not in your PATH. Add this line to the profile of your shell:

  export PATH=\"$folder:\$PATH\"" ;;
  esac
}

main "$@"
