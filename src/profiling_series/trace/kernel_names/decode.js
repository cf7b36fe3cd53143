/* What a GPU kernel's name tells, in the browser: the same rules, read in the same way as by the modules beside
   this file (decode, declaration, facts, fused, parts, model), and held to their answers by the tests.
   One thing differs: of a mangled C++ symbol only the qualified name at its head is read. */
(() => {
  "use strict";
  const MAX_CHARS = 8192;
  const NOT_KNOWN = "not known";
  const EPILOGUES = { badd: "badd (a matrix is added)" };
  const LISTS = new Set(["dtypes", "fused_ops", "memory"]);
  const NUMBERS = new Set(["stages", "number"]);
  const has = (object, key) => object !== undefined && Object.hasOwn(object, key);
  const unique = (values) => [...new Set(values)];
  const isAlphanumeric = (char) => /^[\p{L}\p{N}]/u.test(char ?? "");
  const startsAlphanumeric = (text, at) => at < text.length && isAlphanumeric(String.fromCodePoint(text.codePointAt(at)));

  const regexes = new Map();
  const regex = (pattern, flags) => {
    const key = flags + pattern;
    if (!regexes.has(key)) regexes.set(key, new RegExp(pattern, flags));
    const found = regexes.get(key);
    found.lastIndex = 0;
    return found;
  };
  /* Match a pattern that begins at a place; nothing at or beyond the end is seen. */
  const matchAt = (pattern, text, at = 0, end = text.length) => {
    const sticky = regex(pattern, "dy");
    sticky.lastIndex = at;
    return sticky.exec(text.slice(0, end));
  };

  // --- A mangled symbol (demangling.py, without its library)
  const mangledHead = (name) => {
    const start = /^_?_Z(?:TS)?N[KVrO]*/.exec(name) ?? /^_?_Z(?:TS)?(?=\d)/.exec(name);
    if (!start) return null;
    const pieces = [];
    let position = start[0].length;
    for (;;) {
      const length = matchAt("[1-9]\\d{0,3}", name, position);
      if (!length || pieces.length === 32) break;
      const begin = position + length[0].length;
      position = begin + Number(length[0]);
      const piece = name.slice(begin, position);
      if (piece.length < Number(length[0])) break;
      pieces.push(piece.startsWith("_GLOBAL__N_") ? "(anonymous namespace)" : piece);
    }
    return pieces.join("::") || null;
  };

  // --- Where the name is in a declaration (declaration.py)
  const LONG_RETURN_TYPE = "std::enable_if<";
  const endsAName = (text, at) => at > 0 && (/[_>]/.test(text[at - 1]) || isAlphanumeric(text[at - 1]));
  const nameSpan = (text) => {
    if (text.endsWith(".kd")) return [0, text.length - 3];
    let [start, angles, parentheses] = [0, 0, 0];
    const longReturnType = text.startsWith(LONG_RETURN_TYPE);
    for (let at = 0; at < text.length; at += 1) {
      const char = text[at];
      if (char === "(") {
        if (!angles && !parentheses && endsAName(text, at)) return [start, at];
        parentheses += 1;
      } else if (char === ")") parentheses = Math.max(0, parentheses - 1);
      else if (parentheses) continue;
      else if (char === "<") angles += 1;
      else if (char === ">") angles = Math.max(0, angles - 1);
      else if (char === " " && longReturnType && !angles) start = at + 1;
    }
    return [start, text.length];
  };
  const aroundMeaning = (text) => {
    if (text.startsWith("(")) return "the types of the kernel's parameters";
    if (text === ".kd") return "the suffix of a kernel descriptor (AMD)";
    if (text.startsWith(LONG_RETURN_TYPE)) return "the type that the function returns";
    return `not read: ${text.length} characters more`;
  };

  // --- Fused operators (fused.py)
  const splitOps = (text, known) => {
    const endOfName = (start) => {
      for (let end = Math.min(text.length, start + 64); end > start; end -= 1)
        if ((end === text.length || text[end] === "_") && known.has(text.slice(start, end))) return end;
      let body = start;
      while (text[body] === "_") body += 1;
      const end = text.indexOf("_", body);
      return end < 0 ? text.length : end;
    };
    const found = [];
    for (let start = 0; start < text.length;) {
      const end = endOfName(start);
      found.push(text.slice(start, end));
      start = end + 1;
    }
    return found;
  };

  // --- Facts (facts.py)
  const fillSlots = (template, slots) =>
    template.replace(/\{([a-z0-9_]*)(?::([a-z0-9-]+))?\}/g, (slot, key) => (has(slots, key) ? slots[key] : slot));

  // --- One line (model.py)
  const summary = (kernel) => {
    const what = kernel.fused_ops.length ? kernel.fused_ops.join(", ") : kernel.operation || NOT_KNOWN;
    const said = {
      memory: kernel.memory.join(" to "),
      architecture: kernel.architecture && `made for ${kernel.architecture}`,
      dtypes: kernel.dtypes.join("/"),
      tile: kernel.tile && `tile ${kernel.tile}`,
      stages: kernel.stages && `${kernel.stages} stage${kernel.stages > 1 ? "s" : ""}`,
      layout: kernel.layout && `layout ${kernel.layout}`,
      epilogue: kernel.epilogue && `epilogue ${EPILOGUES[kernel.epilogue] ?? kernel.epilogue}`,
      tensor_cores: { true: "Tensor or Matrix Cores", false: "no Tensor Cores" }[kernel.tensor_cores],
    };
    const told = Object.entries(said).filter(([, text]) => text);
    const of = (wanted) => told.filter(([key]) => kernel.seen.includes(key) === wanted).map(([, text]) => text);
    const first = kernel.known || kernel.fused_ops.length ? `${kernel.family}: ${what}` : kernel.family;
    const documented = [first, ...of(false)].join(", ");
    return of(true).length ? `${documented}; seen, not documented: ${of(true).join(", ")}` : documented;
  };

  const makeDecoder = (data) => {
    const known = new Set(data.fused_ops);
    const rules = data.rules.map((rule) => {
      const given = Array.isArray(rule.fields) ? rule.fields : [rule.fields ?? {}];
      return {
        ...rule,
        merged: Object.assign({}, ...given.map((each) => (typeof each === "string" ? data.fields[each] : each))),
        entries: (rule.words ?? []).flatMap((name) => data.words[name]),
        searches: (rule.search ?? []).map((name) => data.searches[name]),
      };
    });

    const recognise = (body, whole) => {
      for (const rule of rules) {
        if (rule.hint?.length && !rule.hint.some((literal) => body.includes(literal))) continue;
        if (rule.needs && !whole.includes(rule.needs)) continue;
        const match = matchAt(rule.pattern, body);
        if (match) return [rule, match];
      }
      throw new Error("the last rule matches anything");
    };

    const valueOf = (entry, text) => {
      if ("value" in entry) return [entry.value];
      let texts = "each" in entry ? [...text.matchAll(regex(entry.each, "g"))].map((match) => match[0]) : [text];
      if (entry.lower) texts = texts.map((each) => each.toLowerCase());
      if (entry.field === "fused_ops") texts = splitOps(text, known);
      if ("join" in entry) texts = [texts.join(entry.join)];
      if ("table" in entry) {
        const table = data.tables[entry.table];
        texts = texts.filter((each) => has(table, each)).map((each) => table[each]);
      }
      return texts.length ? texts : null;
    };

    const fill = (attributes, attribute, value) => {
      if (LISTS.has(attribute)) attributes[attribute] = unique([...(attributes[attribute] ?? []), ...value]);
      else if (NUMBERS.has(attribute)) {
        if (value[0].length <= 9) attributes[attribute] ??= Number(value[0]);
      } else attributes[attribute] ??= value[0];
    };

    const note = (entry, text, span, facts, groups, group) => {
      const value = valueOf(entry, text);
      if (value && entry.field) fill(facts.attributes, entry.field, value);
      for (const [key, fixed] of Object.entries(entry.set ?? {})) facts.attributes[key] ??= fixed;
      if (group) {
        facts.texts[group] ??= text;
        facts.values[group] ??= value ? value.join(", ") : text;
      }
      let meaning = NOT_KNOWN;
      if (value) {
        const slots = { "": value.join(", ") };
        for (const [key, found] of Object.entries(groups ?? {})) slots[key] = found ?? "";
        meaning = fillSlots(entry.say ?? NOT_KNOWN, slots);
      }
      const told = meaning !== NOT_KNOWN;
      const part = { text, meaning, source: (told && entry.source) || null, field: (told && entry.field) || null };
      facts.spans.push({ begin: span[0], end: span[1], part });
    };

    const takeGroups = (rule, match, facts) => {
      for (const [key, text] of Object.entries(match.groups ?? {})) {
        if (!text) continue;
        const group = key.split("__")[0];
        let entry = rule.merged[group] ?? { say: NOT_KNOWN };
        if (group === "family") entry = { say: rule.family, source: rule.source, field: "family" };
        note(entry, text, match.indices.groups[key], facts, {}, group);
      }
    };

    /* The piece that an entry is about: its group v where it has one, else all that it matched. */
    const named = (match) =>
      match.groups && "v" in match.groups
        ? [match.groups.v ?? "", match.indices.groups.v ?? match.indices[0]]
        : [match[0], match.indices[0]];

    const takeFirst = (search, body, facts) => {
      for (const entry of search) {
        const match = regex(entry.pattern, "d").exec(body);
        if (match) {
          note(entry, ...named(match), facts, match.groups);
          return;
        }
      }
    };

    // --- Pieces (parts.py)
    const unread = (text) => ({
      text, meaning: /[\p{L}\p{N}]/u.test(text) ? NOT_KNOWN : "", source: null, field: null,
    });
    const word = (rule, body, position, end, facts) => {
      for (const entry of rule.entries) {
        const match = matchAt(entry.pattern, body, position, end);
        const stop = match && match.indices[0][1];
        if (match && (stop === end || !startsAlphanumeric(body, stop))) {
          note(entry, named(match)[0], match.indices[0], facts, match.groups);
          return [{ ...facts.spans.pop().part, text: match[0] }, stop];
        }
      }
      const plain = matchAt("[A-Za-z0-9]+", body, position, end);
      const stop = plain ? position + plain[0].length : position + 1;
      return [{ text: body.slice(position, stop), meaning: NOT_KNOWN, source: null, field: null }, stop];
    };
    const gap = (rule, body, begin, end, facts) => {
      if (begin >= end) return [];
      if (!rule.entries.length) return [unread(body.slice(begin, end))];
      const parts = [];
      for (let position = begin; position < end;) {
        const separator = matchAt("[^A-Za-z0-9]+", body, position, end);
        if (separator) {
          parts.push(unread(separator[0]));
          position += separator[0].length;
          continue;
        }
        const [part, stop] = word(rule, body, position, end, facts);
        parts.push(part);
        position = stop;
      }
      return parts;
    };
    const cutParts = (rule, body, facts) => {
      const spans = [...facts.spans].sort((one, other) => one.begin - other.begin || other.end - one.end);
      const parts = [];
      let position = 0;
      for (const { begin, end, part } of spans) {
        if (begin < position) continue;
        parts.push(...gap(rule, body, position, begin, facts), part);
        position = end;
      }
      return [...parts, ...gap(rule, body, position, body.length, facts)];
    };

    const compose = (template, facts) => {
      if (!template) return null;
      const filled = template.replace(/\{([a-z0-9_]*)(?::([a-z0-9-]+))?\}/g, (_slot, group, table) => {
        if (!table) return has(facts.values, group) ? facts.values[group] : "";
        const text = has(facts.texts, group) ? facts.texts[group] : "";
        return has(data.tables[table], text) ? data.tables[table][text] : "";
      });
      return filled.trim() || null;
    };

    const seen = (parts) => {
      const documented = new Set(
        parts.filter((part) => part.source && data.sources[part.source].kind !== "measured").map((part) => part.field),
      );
      return unique(parts.map((part) => part.field).filter((field) => field && !documented.has(field)));
    };

    /* Returns what `KernelName` holds, as a plain object. */
    const decode = (name) => {
      const shown = mangledHead(name) ?? name;
      const read = shown.slice(0, MAX_CHARS);
      const [begin, end] = nameSpan(read);
      const body = read.slice(begin, end);
      const [rule, match] = recognise(body, read);
      const facts = { attributes: {}, values: {}, texts: {}, spans: [] };
      takeGroups(rule, match, facts);
      for (const search of rule.searches) takeFirst(search, body, facts);
      const parts = cutParts(rule, body, facts);
      const around = (text) => ({ text, meaning: aroundMeaning(text), source: null, field: null });
      if (begin) parts.unshift({ ...around(shown), text: shown.slice(0, begin) });
      if (end < shown.length) parts.push(around(shown.slice(end)));
      for (const [attribute, template] of Object.entries(rule.compose ?? {})) {
        const composed = compose(template, facts);
        if (composed) facts.attributes[attribute] = composed;
      }
      const { operation, family: _piece, ...attributes } = facts.attributes;
      const kernel = {
        name, demangled: shown, rule: rule.id, family: rule.family, known: !rule.unknown,
        library: rule.library ?? null, operation: operation || compose(rule.operation, facts),
        kind: rule.kind ?? null, dtypes: [], tile: null, stages: null, layout: null,
        tensor_cores: rule.tensor_cores ?? null, architecture: null, epilogue: null, fused_ops: [], number: null,
        memory: [], seen: seen(parts), notes: rule.notes ?? [], parts, ...attributes,
      };
      return { ...kernel, summary: summary(kernel) };
    };
    return { decode, sources: data.sources };
  };

  globalThis.profilingSeriesKernelNames = makeDecoder;
})();
