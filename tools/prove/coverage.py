"""Instructions of a kernel that a proof did not execute, so in which an error would not be seen."""


def to_be_executed(machine):
    """Addresses of the instructions from which the kernel may return, if every call comes back and an indirect jump goes
    anywhere. The others end in a panic, whatever is called there. Padding is left out."""
    before, ends = {}, []
    for ip, (op, args, following) in machine.code.items():
        if op in machine.STOPS:
            continue
        to, goes_on = machine.ways(op, args)
        if op in machine.RETURNS or not goes_on and not to or any(x not in machine.code for x in to):
            ends.append(ip)
            continue
        for x in [*to, following] if goes_on else to:
            before.setdefault(x, []).append(ip)
    found = set()
    while ends:
        ip = ends.pop()
        if ip not in found:
            found.add(ip)
            ends += before.get(ip, ())
    return {ip for ip in found if not padding(*machine.code[ip])}


def padding(op, args, _):
    return op.startswith("nop") or op == "xchg" and args[0] == args[1]
