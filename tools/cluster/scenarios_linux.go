package main

// scenarios are all, in the order in which they are played.
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

// short are those of scripts/test.
var short = []scenario{
	{"restart", restartHAProxy},
	{"versions", versions},
	{"snapshots", snapshots},
	{"limits", limits},
	{"redis", withoutRedis},
	{"killed", strike(killed)},
}
