import { useEffect, useRef, useState } from 'preact/hooks';
import { Credentials, sender } from './credentials';
import { type ApiDocument, curlOf, exampleOf, type Operation, urlOf } from './document';
import { at } from './service';
import { Json } from './text';

/** The maximum number of characters to show. More would block the page. */
const MOST_SHOWN = 200_000;

interface Received {
  status: string;
  text: string;
  isOpen: boolean;
}

/** Sends the operation to this installation and shows the response as it arrives. */
export function TryIt({ operation, document }: { operation: Operation; document: ApiDocument }) {
  const { method, parameters = [], requestBody } = operation;
  const content = requestBody?.content['application/json'];
  const forms = Object.entries(content?.examples ?? {});
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() => (content ? pretty(exampleOf(content, document)) : ''));
  const [received, setReceived] = useState<Received | null>(null);
  const sending = useRef<AbortController | null>(null);
  useEffect(() => () => sending.current?.abort(), []);

  const fields = parameters.filter((each) => each.in !== 'header');
  const url = urlOf(operation, values);

  async function send(): Promise<void> {
    sending.current?.abort();
    const controller = new AbortController();
    sending.current = controller;
    setReceived({ status: 'Sending…', text: '', isOpen: true });
    const { headers, credentials } = sender();
    const init: RequestInit = { method, signal: controller.signal };
    if (credentials) init.credentials = credentials;
    init.headers = { ...(headers as Record<string, string>), ...(content && { 'Content-Type': 'application/json' }) };
    if (content) init.body = body;
    try {
      const response = await fetch(at(url), init);
      const status = `${response.status} ${response.statusText}`;
      await read(response, (text, isOpen) => setReceived({ status, text, isOpen }));
    } catch (error) {
      setReceived((last) =>
        controller.signal.aborted
          ? last && { ...last, isOpen: false }
          : { status: 'No response', text: String(error), isOpen: false },
      );
    }
  }

  return (
    <section>
      <h2>Try it</h2>
      <Credentials />
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {fields.map(({ name, required, example, schema }) => (
          <div class="field" key={name}>
            <label for={`p-${name}`}>
              {name}
              {required === true ? '' : ' (optional)'}
            </label>
            <input
              id={`p-${name}`}
              required={required === true}
              placeholder={shortOf(example ?? schema.example)}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          </div>
        ))}
        {forms.length > 1 && (
          <div class="field">
            <label for="form-of-body">Start with</label>
            <select
              id="form-of-body"
              onChange={(event) => {
                const form = forms[event.currentTarget.selectedIndex];
                if (form) setBody(pretty(form[1].value));
              }}
            >
              {forms.map(([name]) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
        )}
        {content && (
          <div class="field">
            <label for="body">Body</label>
            <textarea
              id="body"
              class="code"
              spellcheck={false}
              rows={Math.min(20, body.split('\n').length + 1)}
              value={body}
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          </div>
        )}
        <div class="actions">
          <button type="submit" class={method === 'DELETE' ? 'danger' : 'primary'}>
            {method === 'DELETE' ? 'Send and delete permanently' : 'Send'}
          </button>
          {received?.isOpen === true && (
            <button type="button" onClick={() => sending.current?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
      <p role="status" class="status">
        {received?.status}
      </p>
      {received && received.text !== '' && <Json value={received.text} />}
      <h3>As a command</h3>
      <Json value={curlOf(method, location.origin + at(url), content ? compact(body) : null)} />
    </section>
  );
}

const shortOf = (value: unknown): string =>
  value === undefined || typeof value === 'string' ? (value ?? '') : JSON.stringify(value);

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns JSON on one line, and any other text unchanged. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Reads the response in chunks, because the event stream never ends. JSON is indented when it is complete. */
async function read(response: Response, show: (text: string, isOpen: boolean) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part && !part.done && text.length < MOST_SHOWN; part = await reader?.read()) {
    text += part.value;
    show(text, true);
  }
  await reader?.cancel();
  const isWhole = text.length < MOST_SHOWN;
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
  show(
    isWhole && isJson && text !== '' ? pretty(JSON.parse(text)) : isWhole ? text : `${text.slice(0, MOST_SHOWN)} …`,
    false,
  );
}
