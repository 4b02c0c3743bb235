package main

// scenarios lists all scenarios in the order in which they run.
var scenarios = []scenario{
	{"restart", restartHAProxy},
	{"upgrade", upgradeHAProxy},
	{"older", upgradeOlder},
	{"versions", versions},
	{"snapshots", snapshots},
	{"limits", limits},
	{"registry", withoutRegistry},
	{"redis", withoutRedis},
	{"frozen", strike(stopped)},
	{"cut", strike(cutOff)},
	{"killed", strike(killed)},
	{"nginx", restartNginx},
	{"compare", otherNginx},
	{"gateway", gateway},
	{"throughput", throughput},
}

// short lists the scenarios of scripts/test.
var short = []scenario{
	{"restart", restartHAProxy},
	{"versions", versions},
	{"snapshots", snapshots},
	{"limits", limits},
	{"redis", withoutRedis},
	{"killed", strike(killed)},
}
