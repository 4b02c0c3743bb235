# Installs a package in an overlay of a fresh Debian tree, without a running systemd. Verifies the unit, runs its command
# as its user, with its environment and a read-only root, and asks for calculations. With an older package, it installs
# that one first, publishes engines, and creates a snapshot, which the newer package must show. Prints a line for each answer.
# Usage, as root:
#   unshare --mount --pid --fork --mount-proc --net bash fresh.sh PACKAGE TREE [OLDER ENGINE ...]
set -euo pipefail
deb=$1 tree=$2 older=${3:-}
engines=("${@:4}")
dir=$(mktemp -d)
mount -t tmpfs none "$dir"
cp "$deb" "$dir/slipstick.deb"
[ -z "$older" ] || cp "$older" "$dir/older.deb"
mkdir "$dir/engines"
[ ${#engines[@]} -eq 0 ] || cp "${engines[@]}" "$dir/engines"
cd "$dir"
mkdir upper work root
mount -t overlay overlay -olowerdir="$tree",upperdir=upper,workdir=work root
mount -t proc proc root/proc
mount --bind /dev root/dev
mv slipstick.deb root/root/
[ -z "$older" ] || cp older.deb root/root/
ip link set lo up

# install installs a package. A settings file that the package changed is not asked about.
install_deb() { chroot root dpkg -i "/root/$1" >log 2>&1 || { cat log; exit 1; }; }

# settings of the unit
of() { sed -n "s/^$1=-\{0,1\}//p" root/lib/systemd/system/slipstick.service; }
user=61200 state=root/var/lib/private/slipstick

# state_directory makes what systemd makes for the unit, once.
state_directory() {
	[ "$(of DynamicUser)" = yes ] && [[ $(of StateDirectory) = slipstick* ]] && [ "$(of ProtectSystem)" = strict ] || { echo "the unit has other settings than this trial"; exit 1; }
	[ -d root/var/lib/private ] || install -d -m 700 root/var/lib/private
	install -d -m "$(of StateDirectoryMode)" -o $user -g $user $state $state/registry
	[ -e root/var/lib/slipstick ] || ln -s private/slipstick root/var/lib/slipstick
	chmod 711 root/var/lib/private # systemd gives the service a view of its own
}

# start runs the command of the unit until it is healthy.
start() {
	state_directory
	mount --bind $state $state
	mount --bind root/tmp root/tmp
	mount -o remount,ro,bind root 2>/dev/null || mount -o remount,ro root
	mapfile -t environment < <(grep '^[A-Z_]*=' "root$(of EnvironmentFile)" || true)
	read -r -a command < <(of ExecStart)
	# A process in a chroot cannot make user namespaces, which the sandbox of engines needs. So the tree becomes the root.
	(umask "$(of UMask)" && { ulimit -n "$(of LimitNOFILE)" 2>/dev/null || true; } && exec unshare --mount bash -c 'cd root && pivot_root . mnt && umount -l /mnt && exec "$@"' - setpriv --reuid $user --regid $user --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
		env -i -C "$(of WorkingDirectory)" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LANG=C.UTF-8 USER=slipstick LOGNAME=slipstick HOME=/ SHELL=/usr/sbin/nologin \
		STATE_DIRECTORY=/var/lib/slipstick:/var/lib/slipstick/registry "${environment[@]}" "${command[@]}") >log 2>&1 &
	server=$! tries=0
	until chroot root slipstick health >/dev/null 2>&1; do
		[ $((tries += 1)) -lt 300 ] && kill -0 $server || { cat log; exit 1; }
		sleep 0.1
	done
}
stop() {
	kill -TERM $server
	wait $server && echo "stopped: 0"
	mount -o remount,rw,bind root 2>/dev/null || mount -o remount,rw root
	umount root/tmp $state
}
ask() { chroot root curl -s "http://127.0.0.1:8080$1" "${@:2}"; }

if [ -n "$older" ]; then
	install_deb older.deb
	state_directory
	dpkg-deb -x older.deb older
	TMPDIR=$dir older/usr/bin/slipstick publish --to registry engines/* >log 2>&1 || { cat log; exit 1; }
	cp -r registry/. $state/registry
	chown -R $user:$user $state
	start
	ask /api/v1/share -H 'Content-Type: application/json' -d '{"tool_id": "ohms-law", "inputs": {"V": 12, "R": 8}}' >shared
	snapshot=$(grep -o '"id":"cx_[^"]*"' shared | head -1 | cut -d'"' -f4)
	echo "older: $(chroot root slipstick version | head -1) $snapshot"
	stop
fi
install_deb slipstick.deb
[ -L root/etc/systemd/system/multi-user.target.wants/slipstick.service ] && echo "installed: enabled"
chroot root systemd-analyze verify /lib/systemd/system/slipstick.service >verified 2>&1 || true
echo "verified: $(wc -c <verified)"
cat verified
ordinary() { chroot root setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent "$@"; }
echo "list: $(ordinary slipstick list | grep -c engine_tested)"
echo "calc:$(ordinary slipstick calc ohms-law V=12 R=8 --no-sandbox 2>/dev/null | grep '^ *current ' | tr -s ' ')"
ls -d root/usr/share/doc/slipstick/examples/* | sed 's|.*/|example: |'
start
echo "user: $(stat -c %u /proc/$server) $(tr '\0' ' ' </proc/$server/cmdline)"
echo "answer: $(ask /api/v1/calc/ohms-law -H 'Content-Type: application/json' -d '{"V": 12, "R": 8}')"
echo "go engine: $(ask /api/v1/capabilities | grep -o '"cantilever-deflection"' | head -1)"
if [ -n "$older" ]; then
	echo "snapshot: $(ask "/api/v1/share/$snapshot")"
	echo "pinned: $(ask /api/v1/calc/ohms-law -H 'Content-Type: application/json' -H 'Service-Spec-Version: 1.0.0' -d '{"V": 12, "R": 8}')"
	echo "replayed: $(chroot root setpriv --reuid $user --regid $user --clear-groups slipstick replay --no-sandbox --registry /var/lib/slipstick/registry /var/lib/slipstick/data 2>&1 | tail -1)"
	echo "left: $(chroot root slipstick replay --no-sandbox --registry /usr/lib/slipstick/registry /var/lib/slipstick/data 2>&1 | tr '\n' ' ')"
fi
stop
