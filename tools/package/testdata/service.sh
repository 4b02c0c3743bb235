# Boots systemd in a container with an overlay of a fresh Debian tree and an installed package, and prints the output of
# the script TRIAL. If no systemd boots in a container of this machine, it prints a line that begins with "not run:".
# Usage, as root:
#   unshare --mount --pid --fork --mount-proc bash service.sh PACKAGE TREE TRIAL
set -euo pipefail
dir=$(mktemp -d)
mount -t tmpfs none "$dir"
mkdir "$dir/upper" "$dir/work" "$dir/root"
mount -t overlay overlay -olowerdir="$2",upperdir="$dir/upper",workdir="$dir/work" "$dir/root"
cp "$1" "$dir/root/root/slipstick.deb"
cp "$3" "$dir/root/root/trial"
cd "$dir"

# boot boots, runs a command and powers off.
boot() {
	: >root/etc/machine-id
	rm -f root/root/said
	cat >root/etc/systemd/system/trial.service <<UNIT
[Unit]
After=slipstick.service
[Service]
Type=oneshot
ExecStart=/bin/bash -c '$1 >/root/said 2>&1; systemctl poweroff'
UNIT
	SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout 120 systemd-nspawn --keep-unit --register=no --directory root --boot \
		--private-network --capability=all >console 2>&1 </dev/null || tail -n 20 console
}

ln -s ../trial.service root/etc/systemd/system/multi-user.target.wants/trial.service
boot 'echo up' >failed
[ "$(cat root/root/said 2>/dev/null)" = up ] || { echo "not run: no systemd boots in a container here: $(cat failed)"; exit 0; }
chroot root dpkg -i /root/slipstick.deb >install.log 2>&1 || { cat install.log; exit 1; }
boot '/bin/bash /root/trial'
cat root/root/said
