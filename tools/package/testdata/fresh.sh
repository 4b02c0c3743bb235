# Installs a package in an overlay of a fresh Debian tree, without a running systemd. Verifies the unit, runs its command
# as its user, with its environment and a read-only root, and asks for calculations. Prints a line for each answer.
# Usage, as root:
#   unshare --mount --pid --fork --mount-proc --net bash fresh.sh PACKAGE TREE
set -euo pipefail
deb=$1 tree=$2
dir=$(mktemp -d)
mount -t tmpfs none "$dir"
cp "$deb" "$dir/slipstick.deb"
cd "$dir"
mkdir upper work root
mount -t overlay overlay -olowerdir="$tree",upperdir=upper,workdir=work root
mount -t proc proc root/proc
mount --bind /dev root/dev
mv slipstick.deb root/root/
ip link set lo up

chroot root dpkg -i /root/slipstick.deb >log 2>&1 || { cat log; exit 1; }
[ -L root/etc/systemd/system/multi-user.target.wants/slipstick.service ] && echo "installed: enabled"
chroot root systemd-analyze verify /lib/systemd/system/slipstick.service >verified 2>&1 || true
echo "verified: $(wc -c <verified)"
cat verified
ordinary() { chroot root setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent "$@"; }
echo "list: $(ordinary slipstick list | grep -c engine_tested)"
echo "calc:$(ordinary slipstick calc ohms-law V=12 R=8 --no-sandbox 2>/dev/null | grep '^ *current ' | tr -s ' ')"
ls -d root/usr/share/doc/slipstick/examples/* | sed 's|.*/|example: |'

# settings of the unit
of() { sed -n "s/^$1=-\{0,1\}//p" root/lib/systemd/system/slipstick.service; }
user=61200 state=root/var/lib/private/slipstick
[ "$(of DynamicUser)" = yes ] && [ "$(of StateDirectory)" = "slipstick slipstick/registry" ] && [ "$(of ProtectSystem)" = strict ] || { echo "the unit has other settings than this trial"; exit 1; }
install -d -m 700 root/var/lib/private
install -d -m "$(of StateDirectoryMode)" -o $user -g $user $state $state/registry
ln -s private/slipstick root/var/lib/slipstick
chmod 711 root/var/lib/private # systemd gives the service a view of its own
mount --bind $state $state
mount --bind root/tmp root/tmp
mount -o remount,ro,bind root 2>/dev/null || mount -o remount,ro root
mapfile -t environment < <(grep '^[A-Z_]*=' "root$(of EnvironmentFile)" || true)
read -r -a command < <(of ExecStart)
# A process in a chroot cannot make user namespaces, which the sandbox of engines needs. So the tree becomes the root.
(umask "$(of UMask)" && { ulimit -n "$(of LimitNOFILE)" 2>/dev/null || true; } && exec unshare --mount bash -c 'cd root && pivot_root . mnt && umount -l /mnt && exec "$@"' - setpriv --reuid $user --regid $user --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
	env -i -C "$(of WorkingDirectory)" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LANG=C.UTF-8 USER=slipstick LOGNAME=slipstick HOME=/ SHELL=/usr/sbin/nologin \
	STATE_DIRECTORY=/var/lib/slipstick:/var/lib/slipstick/registry "${environment[@]}" "${command[@]}") >log 2>&1 &
server=$!
until chroot root slipstick health >/dev/null 2>&1; do
	[ $((tries = ${tries:-0} + 1)) -lt 300 ] && kill -0 $server || { cat log; exit 1; }
	sleep 0.1
done
echo "user: $(stat -c %u /proc/$server) $(tr '\0' ' ' </proc/$server/cmdline)"
echo "answer: $(chroot root curl -s http://127.0.0.1:8080/api/v1/calc/ohms-law -H 'Content-Type: application/json' -d '{"V": 12, "R": 8}')"
echo "go engine: $(chroot root curl -s http://127.0.0.1:8080/api/v1/capabilities | grep -o '"cantilever-deflection"' | head -1)"
kill -TERM $server
wait $server && echo "stopped: 0"
