#!/bin/sh
# SPDX-License-Identifier: MIT
# What profile stores are sent, against a server of our own on this machine: every
# byte of the request, and what becomes of its answers.
. "$(dirname "$0")/lib.sh"

agent TDAGENT_PMU=simulated "$prog/demo"
demo=$(profile demo)
agent TDAGENT_PMU=clock "$prog/burn" 100
burn=$(profile burn)
cd "$work" || exit 99

cat >server.py <<'END'
import http.server, os, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = self.raw_requestline + b"".join(b"%s: %s\r\n" % (k.encode(), v.encode()) for k, v in self.headers.items())
        open("request.new", "wb").write(head + b"\r\n" + body)
        os.rename("request.new", "request")
        mode = open("mode").read().strip()
        if mode == "slow":
            time.sleep(30)
        if mode == "moved":
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
        else:
            self.send_response(int(mode))
        answer = b"profile \x1b[31m too old" if mode == "400" else b"{}"
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open("port.new", "w").write(str(server.server_address[1]))
os.rename("port.new", "port")
server.serve_forever()
END
echo 200 >mode
python3 server.py &
server=$!
trap 'code=$?; kill $server 2>/dev/null; (exit $code); finish' EXIT
while [ ! -e port ] && kill -0 $server 2>/dev/null; do sleep 0.05; done
url=http://127.0.0.1:$(cat port)

# push STATUS ARGUMENT...
push()
{
	expected=$1
	shift
	rm -f request
	guest push $clean $variables "$tdagent" push "$@"
	ended "exit $expected" push
}
variables=

push 0 "$url" "$demo"
if grep -q "without libcurl\|libcurl is needed" push.err; then
	skip "$(cat push.err)"
fi

# The whole request, made here from what export writes.
cat >check.py <<'END'
import base64, json, sys
store, port, service, agent, labels, extra = sys.argv[1:7]
pprof = base64.b64encode(open("exported.pb.gz", "rb").read()).decode()
pairs = [{"name": "__name__", "value": "tdagent"}, {"name": "service_name", "value": service}]
pairs += [dict(zip(("name", "value"), l.split("=", 1))) for l in labels.split()]
samples = [{"rawProfile": pprof}]
if store == "parca":
    path, body = "/profiles/writeraw", {"series": [{"labels": {"labels": pairs}, "samples": samples}], "normalized": False}
else:
    path, body = "/push.v1.PusherService/Push", {"series": [{"labels": pairs, "samples": samples}]}
body = json.dumps(body, separators=(",", ":")).encode()
lines = ["POST %s HTTP/1.1" % path, "Host: 127.0.0.1:" + port, "User-Agent: " + agent, "Accept: */*",
         "Content-Type: application/json"] + [e for e in extra.split("|") if e] + ["Content-Length: %d" % len(body)]
expected = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
found = open("request", "rb").read()
assert found == expected, "found %s\nnot %s" % (found[:700], expected[:700])
END
version=$("$tdagent" version | tr ' ' /)
# is STORE SERVICE LABELS HEADERS
is()
{
	python3 check.py "$1" "$(cat port)" "$2" "$version" "$3" "$4" || fail "$1: another request, see above"
}
"$tdagent" export -o exported.pb.gz "$demo"
is pyroscope demo "" ""
push 0 --store=pyroscope --name='my "app"' --label=rank=3 --label=version=1.2 "$url/" "$demo"
python3 - <<'END' || fail "no JSON"
import json
body = json.loads(open("request", "rb").read().split(b"\r\n\r\n", 1)[1])
assert [l["value"] for l in body["series"][0]["labels"]] == ["tdagent", 'my "app"', "3", "1.2"], body
END
push 0 --store=parca --label=rank=3 "$url" "$demo"
is parca demo "rank=3" ""
variables="TDAGENT_PUSH_TOKEN=secret"
push 0 --tenant=team --name=both "$url" "$demo" "$burn"
variables=
"$tdagent" export -o exported.pb.gz "$demo" "$burn"
is pyroscope both "" "X-Scope-OrgID: team|Authorization: Bearer secret"
push 0 --dry-run "$url" "$demo"
[ -e request ] && fail "--dry-run sent something"
grep -q '^{"series":\[{"labels":\[{"name":"__name__"' push.out || fail "--dry-run"

# What a store may answer.  A redirection would take the token elsewhere.
echo 400 >mode
push 1 "$url" "$demo"
one_line push "status 400: profile ?[31m too old"
echo 500 >mode
push 1 "$url" "$demo"
one_line push "status 500"
echo moved >mode
push 1 "$url" "$demo"
one_line push "status 307"
head -n 1 request | grep -q PusherService || fail "a redirection was followed"
echo slow >mode
push 1 --timeout=1 "$url" "$demo"
one_line push "timed out"
kill $server
wait $server 2>/dev/null
push 1 "$url" "$demo"
one_line push "$url"

# wrong WORD ARGUMENT...
wrong()
{
	word=$1
	shift
	push 2 "$@"
	one_line push "$word"
}
wrong URL
wrong file:///tmp/x file:///tmp/x "$demo"
wrong "$demo" "$demo"
wrong --store --store=tape "$url" "$demo"
wrong --timeout --timeout=0 "$url" "$demo"
wrong --name --name= "$url" "$demo"
wrong --tenant --tenant="$(printf 'a\nb')" "$url" "$demo"
wrong already --label=service_name=x "$url" "$demo"
wrong KEY=VALUE --label=x "$url" "$demo"
wrong --bogus --bogus "$url"
push 1 "$url" "$work/none"
one_line push none
exit 0
