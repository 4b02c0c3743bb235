package strictjson

// fewNames is the number of members up to which names are searched one by one. Above it a set
// prevents quadratic time.
const fewNames = 16

// names reports whether an object already has a member with a name.
type names struct {
	set map[string]struct{}
}

// has reports whether name is among the earlier members. After fewNames of them it stores each
// name that it is called with. So call it once for every member, in order.
func (n *names) has(name string, earlier []Member) bool {
	if len(earlier) <= fewNames {
		return listed(name, earlier)
	}
	if n.set == nil {
		n.set = make(map[string]struct{}, 4*fewNames)
		for i := range earlier {
			n.set[earlier[i].Name] = struct{}{}
		}
	}
	before := len(n.set)
	n.set[name] = struct{}{}
	return len(n.set) == before
}

func listed(name string, members []Member) bool {
	for i := range members {
		if members[i].Name == name {
			return true
		}
	}
	return false
}
