// The image's HEALTHCHECK: whether the bot of this container is alive.
// The bot writes its process id into DATA_DIR/heartbeat every 15 seconds, from its event loop: a file older than a
// minute means that the loop is stuck or the process gone. It says nothing of Discord, on purpose: a restart does not
// end an outage of Discord, and logins are limited to a number a day. It needs no port, so that it works with METRICS_PORT=off.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_AGE_MS = 60_000;

function problem(file) {
  let ageMs;
  let pid;
  try {
    ageMs = Date.now() - statSync(file).mtimeMs;
    pid = Number(readFileSync(file, 'utf8').trim());
  } catch (error) {
    return `no heartbeat: ${error.message}`;
  }
  if (ageMs > MAX_AGE_MS) return `the last heartbeat is ${Math.round(ageMs / 1000)} s old`;
  if (!Number.isInteger(pid) || pid < 1) return `${file} holds no process id`;
  try {
    process.kill(pid, 0); // sends nothing; throws when there is no such process
  } catch (error) {
    if (error.code !== 'EPERM') return `process ${pid} is gone`;
  }
  return undefined;
}

const found = problem(join(process.env.DATA_DIR || 'data', 'heartbeat'));
if (found !== undefined) console.error(found);
process.exitCode = found === undefined ? 0 : 1;
