package strictjson

// fewNames is how many members are searched one by one. Above it a set keeps
// the search from growing with the square of the object.
const fewNames = 16

// names answers whether an object already has a member of some name.
type names struct {
	set map[string]struct{}
}

// has reports whether name is among the earlier members. Once it has answered
// for more than fewNames of them it remembers each name it is asked about, so
// it has to be asked once for every member, in order.
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
