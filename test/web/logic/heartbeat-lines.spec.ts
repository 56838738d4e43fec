import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { heartbeatLines } from '../../../web/src/logic/heartbeat-lines';

const ODD = "/o'ff%20ice/$HOME/ping/2b3cdd46-2f3b-4b29-bd5d-3f7b9a3a1f4e";

describe('The lines that ping a heartbeat', () => {
  let server: HttpTarget;

  beforeAll(async () => {
    server = await HttpTarget.listen(always(rawResponse(200, 'OK')));
  });
  afterAll(() => server.close());

  const textOf = (title: string, path = ODD): string =>
    heartbeatLines(server.url(path)).find((lines) => lines.title.startsWith(title))?.text ?? '';
  const runs = async (script: string, env: Record<string, string> = {}): Promise<string[]> => {
    const before = server.seen.length;
    await promisify(execFile)('sh', ['-c', script], { env: { PATH: process.env['PATH'] ?? '', ...env } }).catch(
      () => undefined,
    );
    return server.seen.slice(before).map(({ path }) => path);
  };
  /** Returns the sixth field as cron reads it: `\%` is a percent sign. */
  const cronCommand = (line: string): string => line.split(' ').slice(5).join(' ').replaceAll('\\%', '%');

  it.each([
    ['success', 'true', '/0'],
    ['failure', '(exit 3)', '/3'],
  ])('of a shell and a crontab send a %s to the unchanged URL, with any characters in it', async (_, job, end) => {
    expect(await runs(textOf('Shell').replace('JOB', job))).toEqual([`${ODD}${end}`]);
    expect(await runs(cronCommand(textOf('Crontab')).replace('JOB', job))).toEqual([`${ODD}${end}`]);
  });

  it('of GitHub Actions are a step that always runs and sends how the job ended', async () => {
    const [step] = parse(textOf('GitHub')) as { if: string; run: string; env: Record<string, string> }[];
    expect([step?.if, Object.keys(step?.env ?? {})]).toEqual(['always()', ['UPTIME_PING_URL', 'END']]);
    expect(await runs(step?.run ?? '', { UPTIME_PING_URL: server.url('/ping/a'), END: 'fail' })).toEqual([
      '/ping/a/fail',
    ]);
  });

  it('of Kubernetes end with the exit code of the job', async () => {
    const { containers } = parse(textOf('Kubernetes')) as { containers: { command: string[] }[] };
    const script = containers[0]?.command[2] ?? '';
    const env = { UPTIME_PING_URL: server.url('/ping/b') };
    expect(
      await runs(`(${script.replace('JOB', '(exit 5)')}); [ $? = 5 ] && curl -s ${server.url('/five')}`, env),
    ).toEqual(['/ping/b/5', '/five']);
  });

  it('of systemd are read as its manual says: %% and $$ are one character each', async () => {
    const [, quoted = ''] = /ExecStopPost=\/bin\/sh -c "(.*)"$/m.exec(textOf('systemd')) ?? [];
    const script = quoted
      .replace(/\\(["\\])/g, '$1')
      .replaceAll('%%', '%')
      .replaceAll('$$', '$');
    expect(await runs(script, { EXIT_CODE: 'exited', EXIT_STATUS: '7' })).toEqual([`${ODD}/7`]);
    expect(await runs(script, { EXIT_CODE: 'killed', EXIT_STATUS: 'TERM' })).toEqual([`${ODD}/fail`]);
  });

  it('of PowerShell double a quote', () => {
    expect(textOf('PowerShell', "/o'clock")).toContain(`('${server.url("/o''clock")}' + "/$LASTEXITCODE")`);
  });

  it('keep the URL out of text that other systems store', () => {
    for (const title of ['GitHub', 'Kubernetes']) expect(textOf(title)).not.toContain(server.url());
  });
});
