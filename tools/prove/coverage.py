"""Instructions of a kernel that a proof did not execute, so in which an error would not be seen."""

SLACK = 4
"""Instructions that a kernel may have more than partly.txt tells, besides one in a hundred. LLVM moves and spills
registers in another way if its functions come in another order, which depends on the folder of the clone and on code
elsewhere."""


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


def complaint(missed, number, listed, everything):
    """Why a kernel of this number of instructions may not leave these unexecuted, or None. `listed` is what partly.txt
    tells, 0 for a kernel that does not stand there: such a one has no slack. `everything` executes more."""
    most = listed + listed // 100 + SLACK if listed else 0
    if len(missed) > most:
        places = ["%x" % ip for ip in missed[:8]] + ["…"] * (len(missed) > 8)
        return "%d of %d instructions are executed in no case, where partly.txt allows %d: %s" % (
            len(missed), number, most, " ".join(places))  # fmt: skip
    if listed > SLACK and not missed and not everything:
        return "every instruction is executed, so partly.txt should not have it"
    return None


def padding(op, args, _):
    return op.startswith("nop") or op == "xchg" and args[0] == args[1]
