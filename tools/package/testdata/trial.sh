# Requests to the service in service.sh. Prints a line for each answer.
until slipstick health --live >/dev/null 2>&1; do
	[ $((tries = ${tries:-0} + 1)) -lt 300 ] || { journalctl --no-pager -u slipstick; exit; }
	sleep 0.1
done
main() { systemctl show -p MainPID --value slipstick; }
echo "empty: $(slipstick health 2>&1)"
slipstick publish --to /var/lib/slipstick/registry /root/ohms_law.calc.md >/dev/null 2>&1 || echo "publish failed"
until slipstick health >/dev/null 2>&1; do
	[ $((tries = tries + 1)) -lt 300 ] || { journalctl --no-pager -u slipstick; exit; }
	sleep 0.1
done
echo "answer: $(curl -s http://127.0.0.1:8080/api/v1/calc/ohms-law -H 'Content-Type: application/json' -d '{"V": 12, "R": 8}')"
echo "rights: $(grep -E '^(CapEff|NoNewPrivs|Seccomp):' "/proc/$(main)/status" | tr -s '\t\n' ' ')"
echo "user: $(stat -c %u "/proc/$(main)") $(id -u slipstick)"
before=$(main)
systemctl reload slipstick && [ "$before" = "$(main)" ] && echo "reloaded"
systemctl stop slipstick
echo "stopped: $(systemctl show -p Result --value slipstick) $(systemctl is-active slipstick)"
echo "data: $(find /var/lib/private/slipstick/ -name '*.key' | wc -l) $(stat -L -c %a /var/lib/slipstick)"
systemctl start slipstick
dpkg -i /root/slipstick.deb >/dev/null 2>&1 && echo "upgraded: $(systemctl is-active slipstick)"
dpkg --purge slipstick >/dev/null 2>&1 && echo "purged: $(systemctl is-active slipstick) $(pgrep -c slipstick) $(ls -d /var/lib/slipstick /var/lib/private/slipstick 2>/dev/null | wc -l)"
