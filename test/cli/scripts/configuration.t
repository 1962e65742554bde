Each field of an agent is explained with the line that declares it, and values that may be secret are left out.

  $ export GC_URL=http://127.0.0.1:9
  $ mkdir -p ../explained/notes
  $ cat > ../explained/city.toml <<'END'
  > [workspace]
  > provider = "claude"
  > [[agent]]
  > name = "a"
  > env = { TOKEN = "secret" }
  > END
  $ (cd ../explained/notes && gc config explain --agent a)
  OF       KEY       VALUE      DECLARED AT
  agent a  name      "a"        city.toml:4 [[agent]]
  agent a  provider  "claude"   city.toml:2 [workspace]
  agent a  env       { TOKEN }  city.toml:5 [[agent]]
  $ gc --city ../explained config explain --agent a --json
  {"fields":[{"kind":"agent","name":"a","key":"name","value":"a","layer":"city","file":"city.toml","line":4,"section":"[[agent]]"},{"kind":"agent","name":"a","key":"provider","value":"claude","layer":"city","file":"city.toml","line":2,"section":"[workspace]"},{"kind":"agent","name":"a","key":"env","value":{"TOKEN":"***"},"layer":"city","file":"city.toml","line":5,"section":"[[agent]]"}]}

A name that nothing has is an error with the names there are, and so is a file with a fault.

  $ gc --city ../explained config explain --agent x
  gc: there is no agent "x"; declared: a
  [1]
  $ gc --city ../explained config explain --agent x --json
  {"schema_version":"1","ok":false,"error":{"type":"failure","code":"failure","details":[],"message":"there is no agent \"x\"; declared: a"}}
  [1]
  $ gc --city ../explained config explain --agent x --json 2>/dev/null
  [1]
  $ mkdir ../broken
  $ printf '[daemon]\nmax_restarts = "x"\n' > ../broken/city.toml
  $ (cd ../broken && gc config explain)
  gc: city.toml:2: [daemon] max_restarts: must be a whole number, not "x"
  [1]

What is wrong in each pack below a folder is named with its file and line.

  $ mkdir ../packs
  $ cd ../packs
  $ mkdir -p good/agents/a good/template-fragments bad worse/agents/b worse/agents/c worse/template-fragments worse/assets
  $ cat > good/pack.toml <<'END'
  > [pack]
  > name = "good"
  > schema = 2
  > [[pack.requires]]
  > agent = "mayor"
  > END
  $ echo 'scope = "rig"' > good/agents/a/agent.toml
  $ echo '{{ .AgentName }} {{ template "x" . }}' > good/agents/a/prompt.template.md
  $ echo '{{ define "x" }}x{{ end }}' > good/template-fragments/x.template.md
  $ printf '[pack]\nname = "bad"\nschema = 2\nnonsense = 1\n' > bad/pack.toml
  $ cat > worse/pack.toml <<'END'
  > [pack]
  > name = "worse"
  > schema = 2
  > [imports.far]
  > source = "https://example.com/far.git"
  > END
  $ printf 'min_active_sessions = 3\nmax_active_sessions = 1\ntypo = 1\n' > worse/agents/b/agent.toml
  $ echo '{{ if }}' > worse/agents/b/prompt.template.md
  $ printf 'start_command = "x"\npre_start = ["echo {{ end }}"]\n' > worse/agents/c/agent.toml
  $ printf '{{ define "y" }}' > worse/template-fragments/y.template.md
  $ echo 'is never looked at' > worse/assets/pack.toml
  $ gc lint .
  bad (bad)
    error    pack.toml:4: [pack] nonsense: is not a key of this section
  good (good)
  worse (worse)
    error    agents/b/agent.toml:1: min_active_sessions: 3 is more than max_active_sessions, 1
    error    template-fragments/y.template.md, line 1: an {{end}} is missing; it is left out
    error    agents/b/prompt.template.md, line 1: a value is missing in if; the text is used as it is written
    error    agent "pack.c" pre_start: this {{end}} belongs to nothing
    error    agent "rig/pack.c" pre_start: this {{end}} belongs to nothing
    warning  agents/b/agent.toml:3: typo: is not a section or key of this file
    warning  pack.toml:5: [imports.far] source: import "far" (https://example.com/far.git) is not locked; run `gc import install`; what it brings is not checked
  
  3 checked: 6 errors, 2 warnings.
  [1]
  $ gc lint . --json
  {"schema_version":"2","ok":false,"command":"lint","path":"*/packs","packs":[{"path":"*/packs/bad","name":"bad","errors":["pack.toml:4: [pack] nonsense: is not a key of this section"],"warnings":[]},{"path":"*/packs/good","name":"good","errors":[],"warnings":[]},{"path":"*/packs/worse","name":"worse","errors":["agents/b/agent.toml:1: min_active_sessions: 3 is more than max_active_sessions, 1","template-fragments/y.template.md, line 1: an {{end}} is missing; it is left out","agents/b/prompt.template.md, line 1: a value is missing in if; the text is used as it is written","agent \"pack.c\" pre_start: this {{end}} belongs to nothing","agent \"rig/pack.c\" pre_start: this {{end}} belongs to nothing"],"warnings":["agents/b/agent.toml:3: typo: is not a section or key of this file","pack.toml:5: [imports.far] source: import \"far\" (https://example.com/far.git) is not locked; run `gc import install`; what it brings is not checked"]}],"summary":{"packs":3,"errors":6,"warnings":2}} (glob)
  [1]

A pack in the folder of a city is reported once, after the city.

  $ mkdir ../city ../city/p ../city/p/agents ../city/p/agents/a ../city/p/formulas
  $ cd ../city
  $ printf '[imports.p]\nsource = "p"\n' > city.toml
  $ printf '[pack]\nname = "p"\nschema = 2\n' > p/pack.toml
  $ printf 'nudge = "x"\nstart_command = "x"\n' > p/agents/a/agent.toml
  $ printf 'formula = "broken"\n[[steps]]\nid = "a"\n' > p/formulas/broken.toml
  $ gc lint . --json
  {"schema_version":"2","ok":false,"command":"lint","path":"*/city","packs":[{"path":"*/city","name":"city","errors":[],"warnings":[]},{"path":"*/city/p","name":"p","errors":["formulas/broken.toml:3: step \"a\": title is missing: only a step with expand may lack it"],"warnings":["agents/a/agent.toml:1: nudge: has no effect: the first prompt says what to do"]}],"summary":{"packs":2,"errors":1,"warnings":1}} (glob)
  [1]

An agent of a pack that cannot be used fails gc config show --validate; without --validate, the configuration is shown.

  $ rm p/formulas/broken.toml
  $ printf 'scope = "city"\nx = 1\nx = 2\n' > p/agents/a/agent.toml
  $ gc config show --validate
  gc: p/agents/a/agent.toml:3: is not TOML: Defining a key multiple times is invalid
  [1]
  $ gc config show --validate 2>/dev/null
  [1]
  $ gc config show >/dev/null

A city is checked as it is composed; a folder without city or pack is an error.

  $ mkdir ../composed ../empty
  $ printf '[[agent]]\nname = "a"\ndir = "gone"\nstart_command = "x"\n' > ../composed/city.toml
  $ gc lint ../composed
  composed (.)
    error    city.toml:3: [[agent]] dir: there is no rig "gone"; add it, or take dir out
  
  1 checked: 1 error, 0 warnings.
  [1]
  $ gc lint ../empty
  gc: there is no pack.toml in */empty or below it, and no city.toml (glob)
  [1]
  $ gc lint ../none
  gc: there is no folder */none (glob)
  [1]

Orders that are left out are errors, and keys in them that gc does not know are warnings.

  $ mkdir -p ../ordered/orders
  $ touch ../ordered/city.toml
  $ printf '[order]\ntrigger = "cron"\nschedule = "*/0 * * * *"\nexec = "true"\n' > ../ordered/orders/a.toml
  $ printf '[order]\ntrigger = "manual"\nexec = "true"\ntypo = 1\n' > ../ordered/orders/b.toml
  $ gc lint ../ordered
  ordered (.)
    error    orders/a.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0
    warning  orders/b.toml:4: [order] typo: is not a key of this section
  
  1 checked: 1 error, 1 warning.
  [1]

Formulas of a pack and of a city are checked, with what in them has no effect.

  $ mkdir -p ../formulas/pack/formulas ../formulas/town/formulas
  $ cd ../formulas
  $ printf '[pack]\nname = "good"\nschema = 2\n' > pack/pack.toml
  $ printf 'formula = "broken"\n[[steps]]\nid = "a"\ntitle = "A"\nneeds = ["b"]\n' > pack/formulas/broken.toml
  $ printf 'formula = "fine"\n[[steps]]\nid = "a"\ntitle = "A"\n' > pack/formulas/fine.toml
  $ printf 'formula = "another"\n[[steps]]\nid = "a"\ntitle = "A"\n' > pack/formulas/other.toml
  $ gc lint pack
  good (.)
    error    formulas/broken.toml:2: step "a": needs names "b", and there is no such step
    warning  formulas/other.toml:1: the file is called other and the formula "another"
  
  1 checked: 1 error, 1 warning.
  [1]
  $ printf '[workspace]\nname = "town"\nprovider = "claude"\n' > town/city.toml
  $ printf 'formula = "loose"\n[[steps]]\nid = "a"\ntitle = "A"\ncheck = { max_attempts = 2 }\n' > town/formulas/loose.toml
  $ gc lint town
  town (.)
    error    formulas/loose.toml:5: step "a": check.check.path is missing: the script that checks the step
  
  1 checked: 1 error, 0 warnings.
  [1]

Formulas of a city without a pack.toml and of its rigs are checked as well, with the line of what has no effect.

  $ mkdir -p ../graphs/town/formulas ../graphs/app/formulas
  $ cd ../graphs
  $ cat > town/city.toml <<'END'
  > [workspace]
  > name = "town"
  > provider = "claude"
  > [[rigs]]
  > name = "app"
  > path = "../app"
  > formulas_dir = "../app/formulas"
  > END
  $ cat > town/formulas/inert.toml <<'END'
  > formula = "inert"
  > [requires]
  > formula_compiler = ">=2.0.0"
  > [vars]
  > x = "no"
  > [[steps]]
  > id = "a"
  > title = "T"
  > [[steps]]
  > id = "b"
  > title = "T"
  > needs = ["a"]
  > condition = "{{x}} == yes"
  > [[steps]]
  > id = "c"
  > title = "T"
  > needs = ["b"]
  > [[steps]]
  > id = "l"
  > title = "T"
  > loop = { until = "step.status == 'complete'", max = 2, body = [{ id = "x", title = "X" }] }
  > [compose]
  > [[compose.gate]]
  > before = "c"
  > condition = "a.status == 'complete'"
  > END
  $ printf 'formula = "broken"\n[[steps]]\nid =\n' > town/formulas/broken.toml
  $ printf '{\n"formula" "odd"}' > town/formulas/odd.formula.json
  $ echo '[]' > town/formulas/list.formula.json
  $ printf 'formula = "lost"\n[[steps]]\nid = "q"\ntitle = "T"\nneeds = ["z"]\n' > app/formulas/lost.toml
  $ printf 'formula = "inert"\n[[steps]]\nid = "q"\ntitle = "T"\ncheck = { max_attempts = 2 }\n' > app/formulas/inert.toml
  $ gc lint town
  town (.)
    error    formulas/broken.toml:3: is not TOML: Unspecified values are invalid
    error    formulas/list.formula.json:1: must be a JSON object
    error    formulas/odd.formula.json:2: is not JSON: ColonExpected
    error    */graphs/app/formulas/inert.toml:5: step "q": check.check.path is missing: the script that checks the step (glob)
    error    */graphs/app/formulas/lost.toml:2: step "q": needs names "z", and there is no such step (glob)
    warning  formulas/inert.toml:21: step "l": loop.until has no effect: the loop is gone through once. It runs with [requires] gc_extensions = ">=1.0.0"
    warning  formulas/inert.toml:23: step "c": compose.gate before "c" has no effect: nothing evaluates its condition
    warning  formulas/inert.toml:14: step "c": "c" does not wait for "b": a condition leaves that step out
  
  1 checked: 5 errors, 3 warnings.
  [1]

Variables that no run has and formulas of agents and orders that are not there are named.

  $ mkdir -p ../named/orders ../named/formulas
  $ cd ../named
  $ cat > city.toml <<'END'
  > [[agent]]
  > name = "a"
  > start_command = "x"
  > default_sling_formula = "good"
  > [[agent]]
  > name = "b"
  > start_command = "x"
  > default_sling_formula = "mol-do-work"
  > END
  $ printf '[order]\ntrigger = "manual"\nformula = "god"\npool = "a"\n' > orders/nightly.toml
  $ cat > formulas/good.toml <<'END'
  > formula = "good"
  > [vars.who]
  > [[steps]]
  > id = "a"
  > title = "{{ who }} {{issue}} {{rig_name}}"
  > description = "{{zz}}"
  > END
  $ printf 'formula = "open"\n[vars.topic]\n[[steps]]\nid = "a"\ntitle = "{{ topik }}"\n' > formulas/open.toml
  $ printf 'formula = "twice"\n[vars]\nx = "{{y}}"\ny = "1"\n[[steps]]\nid = "a"\ntitle = "{{x}}"\n' > formulas/twice.toml
  $ cat > formulas/exp.toml <<'END'
  > formula = "exp"
  > type = "expansion"
  > [vars]
  > x = ""
  > [[template]]
  > id = "t"
  > title = "{x} {z}"
  > END
  $ cat > formulas/uses.toml <<'END'
  > formula = "uses"
  > [[steps]]
  > id = "a"
  > title = "T"
  > expand = "exp"
  > expand_vars = { x = "1", z = "2", typo = "3" }
  > END
  $ gc lint .
  named (.)
    error    formulas/open.toml:3: step "a": title names {{topik}}, which [vars] does not declare: no run starts without --var topik=<value>; did you mean "topic"?
    error    formulas/twice.toml:5: step "a": title names {{x}}, whose default names {{y}}: variables are filled once, so it is left in the title
    error    agent "b" default_sling_formula: there is no formula "mol-do-work" in the formula folders of this city and its packs; it is in the pack core, which is not imported: gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core
    error    orders/nightly.toml: [order] formula: there is no formula "god" in the formula folders of this city and its packs; did you mean "good"?
    warning  formulas/uses.toml:2: step "a": the variable "typo" has no effect: "exp" does not name it
  
  1 checked: 4 errors, 1 warning.
  [1]
  $ gc config show --validate
  gc: formulas/open.toml:3: step "a": title names {{topik}}, which [vars] does not declare: no run starts without --var topik=<value>; did you mean "topic"?
  formulas/twice.toml:5: step "a": title names {{x}}, whose default names {{y}}: variables are filled once, so it is left in the title
  agent "b" default_sling_formula: there is no formula "mol-do-work" in the formula folders of this city and its packs; it is in the pack core, which is not imported: gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core
  orders/nightly.toml: [order] formula: there is no formula "god" in the formula folders of this city and its packs; did you mean "good"?
  [1]

What keeps the formulas of a city’s packs from being run is named, although the city is shown.

  $ mkdir -p ../imported/city ../imported/p/formulas ../imported/r
  $ cd ../imported
  $ cat > city/city.toml <<'END'
  > [imports.p]
  > source = "../p"
  > [[rigs]]
  > name = "r"
  > path = "../r"
  > [[agent]]
  > name = "a"
  > dir = "r"
  > start_command = "x"
  > END
  $ printf '[pack]\nname = "p"\nschema = 2\n' > p/pack.toml
  $ printf 'formula = "lost"\nextends = ["mol-do-work"]\n' > p/formulas/lost.toml
  $ cat > p/formulas/aimed.toml <<'END'
  > formula = "aimed"
  > [requires]
  > formula_compiler = ">=2.0.0"
  > [[steps]]
  > id = "a"
  > title = "A"
  > metadata = { "gc.run_target" = "nobody" }
  > END
  $ sed 's/aimed/fine/; s/nobody/a/' p/formulas/aimed.toml > p/formulas/fine.toml
  $ gc lint city
  city (.)
    error    */imported/p/formulas/lost.toml:2: there is no formula "mol-do-work" in the formula folders of this city and its packs; it is in the pack core, which is not imported: gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core (glob)
    error    */imported/p/formulas/aimed.toml:1: step "a": gc.run_target "nobody" is not an agent of this city or its rigs: gc agent list (glob)
  
  1 checked: 2 errors, 0 warnings.
  [1]
  $ gc config show --validate --city city
  gc: */imported/p/formulas/lost.toml:2: there is no formula "mol-do-work" in the formula folders of this city and its packs; it is in the pack core, which is not imported: gc import add https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core --name core (glob)
  */imported/p/formulas/aimed.toml:1: step "a": gc.run_target "nobody" is not an agent of this city or its rigs: gc agent list (glob)
  [1]
  $ gc config show --city city >/dev/null
