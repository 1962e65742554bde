A list of no formulas says what to do.

  $ gc formula list
  There are no formulas: put NAME.toml into the formulas folder of the city, or import a pack.
  $ gc formula catalog
  No formula has a [catalog] with its name.

A list names formulas, and says what is wrong with each that does not compile.

  $ mkdir formulas
  $ cat > formulas/line.toml <<'END'
  > formula = "line"
  > description = "two steps"
  > [requires]
  > formula_compiler = ">=2.0.0"
  > [vars]
  > topic = "bridges"
  > [[steps]]
  > id = "plan"
  > title = "Plan {{topic}}"
  > [[steps]]
  > id = "build"
  > title = "Build"
  > needs = ["plan"]
  > END
  $ printf 'formula = "broken"\n[[steps]]\nid = "a"\n' > formulas/broken.toml
  $ printf 'formula = "loose"\n[[steps]]\nid = "a"\ntitle = "A"\nneeds = ["nobody"]\n' > formulas/loose.toml
  $ gc formula list
  broken
  line
  loose
  */town/formulas/broken.toml:3: step "a": title is missing: only a step with expand may lack it (glob)
  */town/formulas/loose.toml:2: step "a": needs names "nobody", and there is no such step (glob)
  $ gc formula list --json 2>/dev/null
  {"schema_version":"1","ok":true,"city_path":"*/town","search_paths":["*/town/formulas"],"formulas":[{"name":"broken","source":"*/town/formulas/broken.toml"},{"name":"line","source":"*/town/formulas/line.toml"},{"name":"loose","source":"*/town/formulas/loose.toml"}],"items":[{"name":"broken","source":"*/town/formulas/broken.toml"},{"name":"line","source":"*/town/formulas/line.toml"},{"name":"loose","source":"*/town/formulas/loose.toml"}],"total":3} (glob)

The compiled graph is shown, with variables put in when there are any.

  $ gc formula show line
  Formula: line
  Description: two steps
  
  Optional vars:
    {{topic}}:  (default=bridges)
  
  Steps (3):
    ├── line.plan: Plan {{topic}}
    ├── line.build: Build [needs: line.plan]
    └── line.workflow-finalize: Finalize workflow [needs: line.build]
  $ gc formula show line --var topic=roads
  Formula: line
  Description: two steps
  
  Optional vars:
    {{topic}}:  (default=bridges)
  
  Steps (3):
    ├── line.plan: Plan roads
    ├── line.build: Build [needs: line.plan]
    └── line.workflow-finalize: Finalize workflow [needs: line.build]
  $ gc formula show line --mermaid
  flowchart TD
    n0(["line: line · workflow"])
    n1["line.plan: Plan {{topic}}"]
    n2["line.build: Build"]
    n3(["line.workflow-finalize: Finalize workflow · workflow-finalize"])
    n1 --> n2
    n2 --> n3
    n3 --> n0
  $ gc formula show line --json
  {"schema_version":"1","ok":true,"city_path":"*/town","name":"line","description":"two steps","contract":"v2","shape":"graph","source":"*/town/formulas/line.toml","hash":"*","search_paths":["*/town/formulas"],"vars":[{"name":"topic","type":"string","default":"bridges"}],"steps":[{"title":"line","description":"two steps","type":"task","priority":2,"metadata":{"gc.formula_contract":"graph.v2","gc.formula_name":"line","gc.kind":"workflow"},"id":"line","is_root":true},{"id":"line.plan","title":"Plan {{topic}}","type":"task"},{"id":"line.build","title":"Build","type":"task"},{"id":"line.workflow-finalize","title":"Finalize workflow","type":"task","metadata":{"gc.kind":"workflow-finalize"}}],"deps":[{"step_id":"line.build","depends_on_id":"line.plan","type":"blocks"},{"step_id":"line.workflow-finalize","depends_on_id":"line.build","type":"blocks"},{"step_id":"line","depends_on_id":"line.workflow-finalize","type":"blocks"}],"warnings":[]} (glob)
  $ gc formula show lime
  gc: formula "lime" not found in search paths: */town/formulas; did you mean "line"? (glob)
  [1]
  $ gc formula show nope
  gc: formula "nope" not found in search paths: */town/formulas; `gc formula list` lists valid names (glob)
  [1]

Validation ends with 1 when something is wrong: in all, in one, in a file.

  $ gc formula validate
  error: */town/formulas/broken.toml:3: step "a": title is missing: only a step with expand may lack it (glob)
  error: */town/formulas/loose.toml:2: step "a": needs names "nobody", and there is no such step (glob)
  [1]
  $ gc formula validate line
  1 formula: no errors, 0 warnings.
  $ cp formulas/line.toml ../mine.toml
  $ gc formula validate ../mine.toml
  ../mine.toml: formula name "line" does not match path name "mine"
  [1]

A version check ends with 0 only while the file has the hash.

  $ hash=$(gc formula show line --json | grep -oE '"hash":"[^"]*"' | cut -d'"' -f4)
  $ gc formula version-check line $hash
  $ gc formula version-check line f00
  [1]
  $ gc formula version-check line
  gc: compared with what? Give the hash of a run, or --run <run>
  [1]

A preview names the steps that would be made.

  $ gc formula preview line --target worker --var topic=roads
  line.plan: Plan roads
  line.build: Build
  $ gc formula catalog --json=name
  []

A dry run of `gc sling` compiles the formula with its variables, and makes nothing.

  $ gc agent add solo --command true --max 1 --suspended
  Agent solo was added, suspended; `gc agent resume solo` lets it work.
  $ rm formulas/broken.toml formulas/loose.toml
  $ sed -i 's/^topic = .*//; s/^\[vars\]/[vars.topic]\nrequired = true/' formulas/line.toml
  $ gc reload
  * town * (glob)
  $ gc sling solo line --formula --dry-run --var topic=roads
  Formula line, of 2 steps, would go to solo.
  $ gc sling solo line --formula --dry-run
  gc: instantiating formula "line": variable "topic" is required
  [1]
  $ gc sling solo line --formula --var topic=x --var topik=y --dry-run
  gc: instantiating formula "line": unknown variable "topik"; did you mean "topic"?
  [1]
  $ gc sling solo line --formula --var topic=x --var topik=y
  gc: instantiating formula "line": unknown variable "topik"; did you mean "topic"?
  [1]
  $ gc sling solo nothing --formula --dry-run
  gc: formula "nothing" not found in search paths: */town/formulas (glob)
  [1]
  $ gc run list
  There are no runs; `gc sling <agent> <formula> --formula` starts one.

The value of a variable is taken as it is given; unknown and missing ones are named before anything is made.

  $ cat > formulas/greet.toml <<'END'
  > formula = "greet"
  > [metadata.gc.methodology]
  > name = "x"
  > [vars.name]
  > required = true
  > [[steps]]
  > id = "a"
  > title = "Greet {{ name }}"
  > description = "{{name}}"
  > END
  $ gc formula cook greet --var 'name=Vue {{path}} fix'
  to-1: 2 beads of greet
  $ bd list --title-contains Vue
  ○ to-2 P2 [step] Greet Vue {{path}} fix
  
  1 bead.
  $ gc formula show greet --var 'name=Vue {{path}} fix'
  Formula: greet
  
  Required vars:
    {{name}}: 
  
  Steps (1):
    └── greet.a: Greet Vue {{path}} fix
  $ gc formula show greet --var 'name=Vue {{path}} fix' --json
  {"schema_version":"1","ok":true,"city_path":"*/town","name":"greet","description":"","contract":"v1","shape":"molecule","source":"*/town/formulas/greet.toml","hash":"*","metadata":{"gc":{"methodology":{"name":"x"}}},"search_paths":["*/town/formulas"],"vars":[{"name":"name","type":"string","required":true}],"steps":[{"title":"greet","description":"","type":"molecule","priority":2,"metadata":{"gc.formula_name":"greet"},"id":"greet","is_root":true},{"id":"greet.a","title":"Greet Vue {{path}} fix","description":"Vue {{path}} fix","type":"task"}],"deps":[{"step_id":"greet.a","depends_on_id":"greet","type":"parent-child"}],"warnings":[]} (glob)
  $ gc formula cook greet --var nme=1
  gc: instantiating formula "greet":
    - unknown variable "nme"; did you mean "name"?
    - variable "name" is required
  [1]
  $ gc formula show greet --var nme=1
  gc: formula "greet": unknown variable "nme"; did you mean "name"?
  [1]
  $ gc formula preview --target x greet --var nme=1
  gc: formula "greet": unknown variable "nme"; did you mean "name"?
  [1]

The runs of a bead are ended, which opens the bead for another.

  $ gc bead create roads
  Created to-3: roads
  $ gc sling solo to-3 --on line --var topic=roads
  Run to-5 of line goes to solo; `gc run show to-5 --watch` follows it.
  gc: solo cannot be started: agent is suspended; its work stays queued until you fix this
  $ gc sling solo to-3 --on line --var topic=roads
  gc: source bead to-3 already has live workflow(s): to-5; force starts another, or clean up with: gc workflow delete-source to-3 --store-ref city:town --apply
  [3]
  $ gc workflow delete-source to-3
  to-5  line
  `gc workflow delete-source to-3 --apply` ends them.
  $ gc workflow reopen-source to-3
  gc: to-3 has active runs (to-5); end them with gc workflow delete-source to-3 --apply
  [1]
  $ gc convoy delete-source to-3 --apply --json
  {"schema_version":"1","ok":true,"source_bead_id":"to-3","applied":true,"workflows":[{"workflow_id":"to-5","closed":4,"deleted":0}]}
  $ gc workflow delete-source to-3 --apply
  No run is active for to-3.
  $ gc workflow reopen-source to-3 --json
  {"schema_version":"1","ok":true,"source_bead_id":"to-3","reopened":true,"status":"open"}
  $ gc sling solo to-3 --on line --var topic=roads
  Run to-10 of line goes to solo; `gc run show to-10 --watch` follows it.
  gc: solo cannot be started: agent is suspended; its work stays queued until you fix this
  $ gc workflow control --serve
  nothing to do: gc runs the control steps of runs itself

The beads of a convoy are given to an agent, and a bead alone to no one without a default.

  $ gc bead create one
  Created to-14: one
  $ gc convoy create both to-14
  Created to-15: both
  $ gc sling solo to-15
  1 of 1 beads of to-15 go to solo; 0 were left alone.
  $ gc sling solo to-15 --json
  {"schema_version":"1","ok":true,"success":true,"target":"solo","convoy_id":"to-15","routed":true,"queued":false,"dry_run":false,"batch":{"container_type":"convoy","total":1,"routed":0,"failed":0,"skipped":1,"idempotent":1}}
  $ gc sling to-14
  gc: bead to-14 has no recipient, and it belongs to the city itself: gc sling <agent> to-14
  [1]
