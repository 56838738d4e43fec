// Parses a Dockerfile, supporting only the features that this project uses: exec forms, line continuations, and ARG in
// FROM.

/** Returns the instructions in order, with comments removed and continuations joined. */
function instructions(text) {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const match = /^([A-Z]+)\s+(.*)$/.exec(line.trim());
      if (!match) throw new Error(`not an instruction: ${line}`);
      return { keyword: match[1], text: match[2].trim() };
    });
}

function readCopy(text) {
  const words = text.split(/\s+/);
  const flags = words.filter((word) => word.startsWith('--'));
  const paths = words.filter((word) => !word.startsWith('--'));
  const from = flags.map((flag) => /^--from=(.+)$/.exec(flag)?.[1]).find((name) => name !== undefined) ?? null;
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) };
}

const list = (text) => {
  const words = JSON.parse(text);
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) throw new Error(`not a list: ${text}`);
  return words;
};

/**
 * Returns the stages with their steps, and the last stage's settings: `user`, `env`, `command`, `entrypoint`,
 * `healthcheck`. Throws for anything that isn't an instruction or isn't in exec form.
 */
export function readDockerfile(text) {
  const args = new Map();
  const stages = [];
  for (const { keyword, text: rest } of instructions(text)) {
    if (keyword === 'ARG') args.set(...rest.split(/=(.*)/s).slice(0, 2));
    else if (keyword === 'FROM') {
      const [image, , name] = rest.split(/\s+(AS)\s+|\s+/i).filter((word) => word !== undefined && word !== '');
      const base = image.replace(/\$\{(\w+)\}/g, (_, arg) => args.get(arg) ?? '');
      stages.push({ base, name: name ?? null, steps: [] });
    } else {
      const step = { keyword, text: rest, ...(keyword === 'COPY' ? { copy: readCopy(rest) } : {}) };
      stages.at(-1).steps.push(step);
    }
  }
  const last = stages.at(-1).steps;
  const one = (keyword) => last.findLast((step) => step.keyword === keyword)?.text ?? null;
  const health = /^(.*?)\bCMD\s+(\[.*\])$/s.exec(one('HEALTHCHECK') ?? '');
  return {
    stages,
    user: one('USER'),
    volume: one('VOLUME'),
    env: Object.fromEntries(
      last
        .filter(({ keyword }) => keyword === 'ENV')
        .flatMap(({ text: pairs }) =>
          [...pairs.matchAll(/(\w+)=("[^"]*"|\S+)/g)].map(([, name, value]) => [name, value]),
        ),
    ),
    entrypoint: list(one('ENTRYPOINT') ?? '[]'),
    command: list(one('CMD') ?? '[]'),
    healthcheck: health ? list(health[2]) : null,
  };
}
