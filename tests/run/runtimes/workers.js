// SPDX-License-Identifier: MIT
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
function work(n) {
  let s = n;
  for (let i = 0; i < workerData.turns; i++) s = (s * 31 + i) % 1000003;
  return s;
}
if (isMainThread) {
  const turns = Number(process.argv[2]), results = [];
  for (let n = 0; n < 3; n++) {
    const worker = new Worker(__filename, { workerData: { n, turns } });
    worker.on("message", (s) => { results[n] = s; });
    worker.on("exit", (code) => { results[n] += " " + code; if (results.filter((r) => / /.test(r)).length === 3) console.log(results); });
  }
} else {
  parentPort.postMessage(work(workerData.n));
}
