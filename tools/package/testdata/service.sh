# Boots systemd in a container with an overlay of the file system of this machine and an installed
# package, and prints the output of the script TRIAL. Usage, as root:
#   unshare --mount --pid --fork --mount-proc bash service.sh PACKAGE TRIAL DOCUMENT
set -euo pipefail
dir=$(mktemp -d)
mount -t tmpfs none "$dir"
mkdir "$dir/upper" "$dir/work" "$dir/root"
mount -t overlay overlay -olowerdir=/,upperdir="$dir/upper",workdir="$dir/work" "$dir/root"
cp "$1" "$dir/root/root/slipstick.deb"
cp "$2" "$dir/root/root/trial"
cp "$3" "$dir/root/root/ohms_law.calc.md"
cd "$dir"

# No service of this machine is started.
rm -f root/usr/sbin/policy-rc.d root/etc/systemd/system/multi-user.target.wants/*
: >root/etc/machine-id
chroot root dpkg -i /root/slipstick.deb >install.log 2>&1 || { cat install.log; exit 1; }
cat >root/etc/systemd/system/trial.service <<'UNIT'
[Unit]
After=slipstick.service
[Service]
Type=oneshot
ExecStart=/bin/bash -c '/bin/bash /root/trial >/root/said 2>&1; systemctl poweroff'
UNIT
ln -s ../trial.service root/etc/systemd/system/multi-user.target.wants/trial.service
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout 120 systemd-nspawn --keep-unit --register=no --directory root --boot \
	--private-network --capability=all >console 2>&1 </dev/null || tail -n 20 console
cat root/root/said
