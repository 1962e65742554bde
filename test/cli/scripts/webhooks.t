A city without webhooks says so.

  $ gc webhook list
  The city has no webhooks; they are declared by [[webhook]] in city.toml, or come with packs.

Webhooks are listed with what keeps one from working.

  $ mkdir orders
  $ printf '[order]\ntrigger = "webhook"\nexec = "true"\n[order.params.pr]\nrequired = true\n' > orders/review.toml
  $ cat >> city.toml <<'END'
  > [[webhook]]
  > name = "github"
  > [webhook.verify]
  > scheme = "github-hmac-sha256"
  > secret_env = "HOOK_SECRET"
  > [[webhook.rule]]
  > event = "pull_request"
  > order = "review"
  > args = { pr = "{{number}}" }
  > [[webhook]]
  > name = "form"
  > [webhook.verify]
  > scheme = "hmac-sha256"
  > secret_env = "HOOK_SECRET"
  > [[webhook.rule]]
  > order = "review"
  > args = { pr = "{{token}}" }
  > [[webhook]]
  > name = "slack"
  > [webhook.verify]
  > scheme = "slack-v0"
  > secret_env = "HOOK_SECRET"
  > [[webhook.rule]]
  > order = "review"
  > args = { pr = "{{command}}" }
  > [[webhook]]
  > name = "discord"
  > [webhook.verify]
  > scheme = "discord-ed25519"
  > secret_env = "DISCORD_KEY"
  > [[webhook.rule]]
  > order = "review"
  > END
  $ gc reload
  * town * (glob)
  $ gc webhook list
  NAME     SCHEME              VISIBILITY  PER MINUTE  STARTS  URL                                               PROBLEM
  github   github-hmac-sha256  private     300         review  http://127.0.0.1:*/v0/city/town/hook/github (glob)
  form     hmac-sha256         private     300         review  http://127.0.0.1:*/v0/city/town/hook/form (glob)
  slack    slack-v0            private     300         review  http://127.0.0.1:*/v0/city/town/hook/slack (glob)
  discord  discord-ed25519     private     300         review  http://127.0.0.1:*/v0/city/town/hook/discord  the variable DISCORD_KEY is not set; set it and start `gc serve` again (glob)
  $ gc webhook list --json=name,problem
  [{"name":"github","problem":null},{"name":"form","problem":null},{"name":"slack","problem":null},{"name":"discord","problem":"the variable DISCORD_KEY is not set; set it and start `gc serve` again"}]

A sample is delivered, and shows what the sender sees, never the secret.

  $ gc webhook test github
  It fits rule 1, which starts the order review.
    pr = sample
  The sender sees 202 {"status":"accepted"}
  $ gc webhook test github --json
  {"schema_version":"1","ok":true,"delivered":true,"event":"pull_request","payload":{"gc_test":"*","number":"sample"},"rule_index":0,"args":{"pr":"sample"},"order":"review","status":202,"answer":{"status":"accepted"}} (glob)
  $ gc webhook test github --json | grep 'oil and lamps'
  [1]

A delivery holds what a file holds; what is rejected ends with status 1.

  $ echo '{"number":""}' > ../payload.json
  $ gc webhook test github --payload ../payload.json
    pr = 
  The sender sees 422 {"status":"rejected"}
  It was rejected: order review needs the argument pr: gc order run review --var pr=<value>.
  [1]
  $ gc webhook test github --payload ../none.json
  gc: ../none.json: it does not exist; check the path
  ...
  [2]
  $ echo '[1]' > ../payload.json
  $ gc webhook test github --payload ../payload.json
  gc: ../payload.json must hold a JSON object
  ...
  [2]

Forms are delivered, and bodies as they are.

  $ echo '{"payload":{"number":8},"token":"t"}' | gc webhook test form --payload - --form --dry-run --json
  {"schema_version":"1","ok":true,"delivered":false,"payload":{"payload":"{\"number\":8}","token":"t"},"rule_index":0,"args":{"pr":"t"},"order":"review"}
  $ echo '{"payload":{"token":"b"}}' | gc webhook test form --payload - --form --json
  {"schema_version":"1","ok":true,"delivered":true,"payload":{"token":"b"},"rule_index":0,"args":{"pr":"b"},"order":"review","status":202,"answer":{"status":"accepted"}}
  $ printf 'token=raw&x=1&x=2' > ../body.txt
  $ gc webhook test form --body ../body.txt --content-type application/x-www-form-urlencoded --json
  {"schema_version":"1","ok":true,"delivered":true,"payload":{"token":"raw","x":["1","2"]},"rule_index":0,"args":{"pr":"raw"},"order":"review","status":202,"answer":{"status":"accepted"}}
  $ gc webhook test form --body ../body.txt
  The sender sees 400 {"type":"urn:gascity:error:invalid-request","code":"invalid-request","title":"Invalid Request","status":400,"detail":"the body is not JSON; choose application/json where the sender is set up"}
  It was rejected: the body is not JSON; choose application/json where the sender is set up.
  [1]
  $ echo '{"command":"/ship"}' | gc webhook test slack --form --payload -
  It fits rule 1, which starts the order review.
    pr = /ship
  The sender sees 200 and no body
  $ gc webhook test form --body ../body.txt --content-type text/plain --form
  gc: --body is delivered unchanged; remove --payload-file and --form
  ...
  [2]
  $ gc webhook test form --content-type text/plain
  gc: --content-type is the type of --body; add --body <file>
  ...
  [2]

A dry run shows which rule a payload fits, and delivers nothing.

  $ echo '{"number":7}' | gc webhook test github --payload - --event pull_request --dry-run
  It fits rule 1, which starts the order review.
    pr = 7
  Nothing was delivered to github.
  $ echo '{"number":7}' | gc webhook test github --payload - --event push --dry-run
  It fits no rule.
  Nothing was delivered to github.

A sender that keeps its key cannot be imitated.

  $ gc webhook test discord
  gc: only the sender can sign a delivery by discord-ed25519: let it send one, or see with a dry run which rule fits
  [1]
  $ gc webhook test none
  gc: webhook none not found; `gc webhook list` shows them
  [1]
