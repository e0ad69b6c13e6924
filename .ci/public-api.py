#!/usr/bin/env python3
"""Prints the public interface of a crate, one item a line, from what rustdoc writes as JSON.

.ci/public-api.py FILE

Traits that the compiler implements by itself, and those that all types have, are left out.
"""

import json
import sys

CRATE = json.load(open(sys.argv[1]))
INDEX = CRATE["index"]
LINES = set()


def item(number):
    return INDEX.get(str(number))


def args(given):
    """What stands between angle brackets, with them."""
    if not given:
        return ""
    if "parenthesized" in given:
        inner = given["parenthesized"]
        output = f" -> {kind(inner['output'])}" if inner["output"] else ""
        return f"({', '.join(map(kind, inner['inputs']))}){output}"
    if "angle_bracketed" not in given:
        return ""
    inner = given["angle_bracketed"]
    parts = [argument(one) for one in inner["args"]]
    for constraint in inner.get("constraints", []):
        to = constraint["binding"]
        if "equality" in to:
            parts.append(f"{constraint['name']}{args(constraint['args'])} = {argument(to['equality'])}")
        else:
            parts.append(f"{constraint['name']}{args(constraint['args'])}: {bounds(to['constraint'])}")
    return f"<{', '.join(parts)}>" if parts else ""


def argument(one):
    if one == "infer":
        return "_"
    (what, value), = one.items()
    return {"lifetime": lambda: value, "type": lambda: kind(value), "const": lambda: value["expr"],
            "constant": lambda: value["expr"]}[what]()


def named(of_trait):
    """A trait by its name alone: derived code has a path to it that is nobody's business."""
    return of_trait["path"].rpartition("::")[2] + args(of_trait["args"])


def bound(one):
    (what, value), = one.items()
    if what == "trait_bound":
        modifier = {"maybe": "?", "none": ""}.get(value["modifier"], "")
        return modifier + named(value["trait"])
    return value if what == "outlives" else "use<…>"


def bounds(all_of):
    return " + ".join(map(bound, all_of))


def kind(of):
    """A type."""
    if of is None:
        return "()"
    if of == "infer":
        return "_"
    (what, value), = of.items()
    if what == "resolved_path":
        return value["path"] + args(value["args"])
    if what in ("generic", "primitive"):
        return "!" if value == "never" else value
    if what == "tuple":
        return f"({', '.join(map(kind, value))})"
    if what == "slice":
        return f"[{kind(value)}]"
    if what == "array":
        return f"[{kind(value['type'])}; {value['len']}]"
    if what == "borrowed_ref":
        lifetime = value["lifetime"] + " " if value["lifetime"] else ""
        return "&" + lifetime + ("mut " if value["is_mutable"] else "") + kind(value["type"])
    if what == "qualified_path":
        of_trait = value.get("trait")
        owner = kind(value["self_type"])
        if of_trait and of_trait["path"]:
            owner = f"<{owner} as {named(of_trait)}>"
        return f"{owner}::{value['name']}{args(value['args'])}"
    if what == "impl_trait":
        return f"impl {bounds(value)}"
    if what == "dyn_trait":
        return "dyn " + " + ".join(named(one["trait"]) for one in value["traits"])
    if what == "function_pointer":
        return "fn" + signature(value["sig"])
    if what == "raw_pointer":
        return "*" + ("mut " if value["is_mutable"] else "const ") + kind(value["type"])
    raise ValueError(f"a type that is not known here: {what}")


def parameters(generics):
    """Generic parameters with their bounds, and the where clause."""
    names = []
    for one in generics["params"]:
        (what, value), = one["kind"].items()
        if what == "lifetime":
            names.append(one["name"])
        elif what == "const":
            names.append(f"const {one['name']}: {kind(value['type'])}")
        elif not value.get("is_synthetic"):
            limits = f": {bounds(value['bounds'])}" if value["bounds"] else ""
            default = f" = {kind(value['default'])}" if value.get("default") else ""
            names.append(one["name"] + limits + default)
    where = []
    for one in generics["where_predicates"]:
        (what, value), = one.items()
        if what == "bound_predicate":
            where.append(f"{kind(value['type'])}: {bounds(value['bounds'])}")
        elif what == "eq_predicate":
            where.append(f"{kind(value['lhs'])} = {argument(value['rhs'])}")
    return f"<{', '.join(names)}>" if names else "", f" where {', '.join(where)}" if where else ""


def signature(sig):
    inputs = ", ".join(f"{name}: {kind(of)}" for name, of in sig["inputs"])
    return f"({inputs})" + (f" -> {kind(sig['output'])}" if sig["output"] else "")


def function(name, value):
    angle, where = parameters(value["generics"])
    header = value["header"]
    before = ("const " if header["is_const"] else "") + ("unsafe " if header["is_unsafe"] else "")
    return f"{before}fn {name}{angle}{signature(value['sig'])}{where}"


def member(path, number):
    """A part of a type, of a trait, or of an implementation."""
    part = item(number)
    if not part or part["visibility"] not in ("public", "default"):
        return
    (what, value), = part["inner"].items()
    name = f"{path}::{part['name']}"
    if what == "function":
        LINES.add(function(name, value))
    elif what == "assoc_const":
        LINES.add(f"const {name}: {kind(value['type'])}")
    elif what == "assoc_type":
        to = f" = {kind(value['type'])}" if value["type"] else ""
        LINES.add(f"type {name}{': ' + bounds(value['bounds']) if value['bounds'] else ''}{to}")
    elif what == "struct_field":
        LINES.add(f"field {name}: {kind(value)}")
    elif what == "variant":
        LINES.add(f"variant {name}")
        fields = value["kind"]
        if isinstance(fields, dict):
            for one in fields.get("struct", {}).get("fields", []) + [i for i in fields.get("tuple", []) if i]:
                member(name, one)


def implementations(path, numbers):
    for number in numbers:
        part = item(number)
        value = part["inner"]["impl"]
        if value["is_synthetic"] or value["blanket_impl"]:
            continue
        if value["trait"] is None:
            # By its name and parameters: the path is as the file that implements it imports it.
            name, angle, rest = kind(value["for"]).partition("<")
            owner = name.rpartition("::")[2] + angle + rest
            for one in value["items"]:
                member(f"{path.rpartition('::')[0]}::{owner}" if "<" in owner else path, one)
        else:
            angle, where = parameters(value["generics"])
            of_trait = named(value["trait"])
            LINES.add(f"impl{angle} {of_trait} for {kind(value['for'])}{where}")
            for one in value["items"]:
                if "assoc_type" in item(one)["inner"]:
                    member(f"<{kind(value['for'])} as {of_trait}>", one)


def walk(path, number, seen):
    part = item(number)
    if part is None or number in seen:
        return
    (what, value), = part["inner"].items()
    if what == "module":
        for one in value["items"]:
            child = item(one)
            if not child or child["visibility"] != "public":
                continue
            inner = child["inner"]
            if "use" in inner:
                use = inner["use"]
                if use["is_glob"]:
                    walk(path, use["id"], seen)
                elif item(use["id"]) is None:
                    LINES.add(f"use {path}::{use['name']} = {use['source']}")
                else:
                    walk(f"{path}::{use['name']}", use["id"], (*seen, number))
            else:
                walk(f"{path}::{child['name']}", one, (*seen, number))
        LINES.add(f"mod {path}")
        return
    if what == "function":
        LINES.add(function(path, value))
    elif what == "constant":
        LINES.add(f"const {path}: {kind(value['type'])}")
    elif what == "type_alias":
        angle, where = parameters(value["generics"])
        LINES.add(f"type {path}{angle} = {kind(value['type'])}{where}")
    elif what in ("struct", "enum"):
        angle, where = parameters(value["generics"])
        extensible = "#[non_exhaustive] " if any("non_exhaustive" in str(one) for one in part["attrs"]) else ""
        LINES.add(f"{extensible}{what} {path}{angle}{where}")
        if what == "enum":
            parts = value["variants"]
        else:
            shape = value["kind"]
            parts = shape["plain"]["fields"] if isinstance(shape, dict) and "plain" in shape else []
        for one in parts:
            member(path, one)
        implementations(path, value["impls"])
    elif what == "trait":
        angle, where = parameters(value["generics"])
        above = f": {bounds(value['bounds'])}" if value["bounds"] else ""
        LINES.add(f"trait {path}{angle}{above}{where}")
        for one in value["items"]:
            member(path, one)
    else:
        LINES.add(f"{what} {path}")


walk(item(CRATE["root"])["name"], CRATE["root"], ())
print("\n".join(sorted(LINES)))
