# Installs, upgrades, removes and purges a package with the dpkg of this machine, on a temporary
# overlay of its file system. Prints all errors. Usage, as root:
#   unshare --mount bash dpkg.sh PACKAGE
set -euo pipefail
deb=$1
wrong() { echo "$*"; }

dir=$(mktemp -d)
mount -t tmpfs none "$dir"
cd "$dir"
mkdir upper work root older
mount -t overlay overlay -olowerdir=/,upperdir=upper,workdir=work root
mkdir root/trial
printf '#!/bin/sh\nexit 101\n' >root/usr/sbin/policy-rc.d # do not start or stop services
chmod +x root/usr/sbin/policy-rc.d

# The older version has a file that the newer version does not have.
dpkg-deb -R "$deb" older
sed -i 's/^Version: .*/Version: 0.0.0~0/' older/DEBIAN/control
mkdir older/usr/share/slipstick
echo old >older/usr/share/slipstick/old
dpkg-deb -Znone --root-owner-group --build older root/trial/older.deb >/dev/null
cp "$deb" root/trial/new.deb
run() { chroot root "$@" >trial.log 2>&1 || { wrong "$* failed: $(cat trial.log)"; exit; }; }

run dpkg -i /trial/older.deb
run slipstick version
link=root/etc/systemd/system/multi-user.target.wants/slipstick.service
[ -L $link ] || wrong "the service is not enabled"
echo '{"addr": "127.0.0.1:9000"}' >root/etc/slipstick/settings.json
mkdir -p root/var/lib/private/slipstick/data
ln -s private/slipstick root/var/lib/slipstick

run dpkg -i /trial/new.deb
grep -q 9000 root/etc/slipstick/settings.json || wrong "the upgrade replaced changed settings"
[ ! -e root/usr/share/slipstick ] || wrong "the upgrade left a file of the older version"
[ -d root/var/lib/slipstick/data ] || wrong "the upgrade removed data"
differs=$(chroot root dpkg --verify slipstick | grep -v 'c /etc/slipstick/settings.json$' || true)
[ -z "$differs" ] || wrong "dpkg --verify: $differs"

run dpkg --remove slipstick
[ ! -e root/usr/bin/slipstick ] || wrong "the program is still there once the package is removed"
grep -q 9000 root/etc/slipstick/settings.json || wrong "removing the package removed its settings"
[ -d root/var/lib/slipstick/data ] || wrong "removing the package removed data"

run dpkg --purge slipstick
# dpkg's own records, and its index of manual pages, do not belong to the package.
(cd upper && find . -mindepth 1 ! -path './trial*' ! -path './usr/sbin/policy-rc.d' ! -path './var/lib/dpkg*' ! -path './var/log*' ! -path './var/cache/man*') |
	while read -r path; do
		if [ -c "upper/$path" ]; then
			wrong "purging removed ${path#.}, which is not of the package"
		elif [ ! -e "/$path" ] && [ ! -L "/$path" ]; then
			wrong "purging left ${path#.}"
		elif [ -f "upper/$path" ] && ! cmp -s "upper/$path" "/$path"; then
			wrong "purging left ${path#.} changed"
		fi
	done
