// The MCP Inspector's command line, called once for each line of standard input:
// a JSON array of its arguments. Each response is one line with the output and the error. All calls
// share one process, because loading the Inspector takes longer than a call.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { runCli } = await import(pathToFileURL(process.argv[2]).href);
const write = process.stdout.write.bind(process.stdout);
for await (const line of createInterface({ input: process.stdin })) {
  let out = '', failed = '';
  process.stdout.write = (chunk, encoding, done) => {
    out += chunk;
    (typeof encoding === 'function' ? encoding : done)?.();
    return true;
  };
  try {
    await runCli(['node', 'inspector', ...JSON.parse(line)]);
  } catch (err) {
    failed = String(err?.stack ?? err);
  }
  if (process.exitCode) failed ||= `exit code ${process.exitCode}`;
  process.exitCode = undefined;
  process.stdout.write = write;
  write(JSON.stringify({ out, failed }) + '\n');
}
