# Requests to the service in service.sh. Prints a line for each answer.
until slipstick health >/dev/null 2>&1; do
	[ $((tries = ${tries:-0} + 1)) -lt 300 ] || { journalctl --no-pager -u slipstick; exit; }
	sleep 0.1
done
main() { systemctl show -p MainPID --value slipstick; }
calculate() { curl -s "http://127.0.0.1:8080/api/v1/calc/$1" -H 'Content-Type: application/json' -d "$2"; }
echo "library: $(calculate ohms-law '{"V": 12, "R": 8}')"
(cd /root && slipstick new --text structural.steel.own_sheet && slipstick publish --to /var/lib/slipstick/registry own_sheet.calc.md) 2>&1
own() { calculate own-sheet '{"width": 1, "height": 2, "density": 7850}'; }
until own | grep -q '"status":"success"'; do
	[ $((tries = tries + 1)) -lt 300 ] || { journalctl --no-pager -u slipstick; exit; }
	sleep 0.1
done
echo "own: $(own)"
echo "rights: $(grep -E '^(CapEff|NoNewPrivs|Seccomp):' "/proc/$(main)/status" | tr -s '\t\n' ' ')"
echo "user: $(stat -c %u "/proc/$(main)")"
before=$(main)
systemctl reload slipstick && [ "$before" = "$(main)" ] && echo "reloaded"
systemctl stop slipstick
echo "stopped: $(systemctl show -p Result --value slipstick) $(systemctl is-active slipstick)"
echo "data: $(find /var/lib/private/slipstick/ -name '*.key' | wc -l) $(stat -L -c %a /var/lib/slipstick)"
systemctl start slipstick
dpkg -i /root/slipstick.deb >/dev/null 2>&1 && echo "upgraded: $(systemctl is-active slipstick)"
until slipstick health >/dev/null 2>&1; do
	[ $((tries = tries + 1)) -lt 300 ] || { journalctl --no-pager -u slipstick; exit; }
	sleep 0.1
done
dpkg --purge slipstick >/dev/null 2>&1 && echo "purged: $(systemctl is-active slipstick) $(cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^slipstick') $(ls -d /var/lib/slipstick /var/lib/private/slipstick 2>/dev/null | wc -l)"
