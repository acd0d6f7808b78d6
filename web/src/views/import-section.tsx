import type { ReadingList } from '@reading-list/client';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadPart } from '../platform/failures';
import { number, reasonOf, t } from '../texts';
import { type ImportResult, runImport, type Sending } from '../ways/import';
import type { Preview, Problem, Refusal } from '../ways/read-file';

type Step =
  | { at: 'choose'; problem?: string }
  | { at: 'reading' }
  | { at: 'preview'; preview: Preview }
  | { at: 'running'; preview: Preview; done: number }
  | { at: 'sending'; total: number; sending: Sending }
  | { at: 'finished'; result: ImportResult };

const REFUSALS_SHOWN = 50;

interface Props {
  list: ReadingList;
  device: string;
  /** Whether each article is a request of its own, as with name and password. */
  isOneByOne: boolean;
  onRunning: (isRunning: boolean) => void;
}

/** The import of files: preview, import, sending, result. */
export function ImportSection({ list, device, isOneByOne, onRunning }: Props): JSX.Element {
  const [step, setStep] = useState<Step>({ at: 'choose' });
  const abort = useRef<AbortController>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    onRunning(step.at === 'running' || step.at === 'sending');
  }, [step.at]);
  useEffect(() => () => abort.current?.abort(), []);

  const choose = async (files: File[]) => {
    if (files.length === 0) return;
    setStep({ at: 'reading' });
    try {
      // The parsers are as large as the application, so they are loaded on demand.
      const { readFiles, UNDERSTOOD } = await loadPart(() => import('../ways/read-file'));
      const preview = await readFiles(files, list, device);
      const problem = unreadableOf(preview) || t.importing.unknownFormat(labelsOf(UNDERSTOOD));
      setStep(preview.formats.size > 0 ? { at: 'preview', preview } : { at: 'choose', problem });
    } catch (error) {
      setStep({ at: 'choose', problem: t.notices.failed(reasonOf(error)) });
    }
  };
  const start = async (preview: Preview) => {
    const { signal } = (abort.current = new AbortController());
    setStep({ at: 'running', preview, done: 0 });
    const progress = {
      onProgress: (done: number) => setStep({ at: 'running', preview, done }),
      onSending: (total: number, sending: Sending) => setStep({ at: 'sending', total, sending }),
    };
    const result = await runImport(list, preview, progress, signal);
    const isHidden = result.isWhole && signal.aborted;
    setStep(isHidden ? { at: 'choose' } : { at: 'finished', result });
  };

  return (
    <section class="stack" aria-labelledby="import-heading">
      <h3 id="import-heading" ref={heading} tabIndex={-1}>
        {t.importing.heading}
      </h3>
      {step.at === 'choose' && <Choose problem={step.problem} onChoose={(files) => void choose(files)} />}
      {step.at === 'reading' && <p role="status">{t.importing.reading}</p>}
      {step.at === 'preview' && (
        <PreviewOf
          preview={step.preview}
          onStart={() => void start(step.preview)}
          onCancel={() => setStep({ at: 'choose' })}
        />
      )}
      {step.at === 'running' && (
        <Running
          done={step.done}
          total={step.preview.entries.length}
          text={t.importing.progress(step.done, step.preview.entries.length)}
          stop={t.importing.stop}
          onStop={() => abort.current?.abort()}
        />
      )}
      {step.at === 'sending' && (
        <Running
          done={step.sending.sent}
          total={step.total}
          text={t.importing.sending(step.sending.sent, step.total, step.sending.secondsLeft)}
          stop={t.importing.hide}
          onStop={() => abort.current?.abort()}
        >
          <p class="hint">{t.importing.pauses}</p>
          {isOneByOne && <p class="hint">{t.importing.oneByOne}</p>}
        </Running>
      )}
      {step.at === 'finished' && <Finished {...step} onAgain={() => setStep({ at: 'choose' })} />}
    </section>
  );
}

/** What people call formats, in their language where it is not a name. */
const labelsOf = (formats: ReadonlyMap<string, string>): string =>
  [...formats].map(([name, label]) => t.importing.formats[name] ?? label).join(', ');

/** Which files cannot be read, and why. */
const unreadableOf = ({ unreadable }: Preview): string =>
  unreadable.map(({ file, ...problem }) => t.importing.unreadable(file, toldOf(problem))).join(' ');

const toldOf = ({ place, reason }: Problem): string =>
  [place && t.importing.place(place), reasonOf(reason)].filter(Boolean).join(': ');

function Choose({ problem, onChoose }: { problem?: string; onChoose: (files: File[]) => void }): JSX.Element {
  return (
    <>
      <p class="hint">{t.importing.hint}</p>
      <label class="file">
        {t.importing.choose}
        <input
          type="file"
          multiple
          accept=".csv,.tsv,.html,.htm,.jsonl,.ndjson,.json,.txt,.zip,text/csv,text/html,application/json,application/zip"
          onChange={(event) => onChoose([...(event.currentTarget.files ?? [])])}
        />
      </label>
      <p class="problem" role="alert">
        {problem}
      </p>
    </>
  );
}

function PreviewOf({
  preview,
  onStart,
  onCancel,
}: {
  preview: Preview;
  onStart: () => void;
  onCancel: () => void;
}): JSX.Element {
  const { entries, known, refused, leftOut, undated, stoppedAt, unread } = preview;
  const count = entries.length + known + refused.length;
  const lost = [...leftOut].map(([what, entries]) => t.importing.leftOutOf(t.importing.fields[what], entries));
  return (
    <>
      <p>{t.importing.preview(labelsOf(preview.formats), count)}</p>
      {preview.unreadable.length > 0 && <p class="problem">{unreadableOf(preview)}</p>}
      {stoppedAt.map((problem) => (
        <p class="problem">{t.importing.stoppedAt(toldOf(problem))}</p>
      ))}
      {unread.length > 0 && <p class="hint">{t.importing.unread(unread.length, unread.slice(0, 5).join(', '))}</p>}
      <Numbers
        numbers={[
          [t.importing.willAdd, entries.length],
          [t.importing.willKnow, known],
          [t.importing.willRefuse, refused.length],
        ]}
      />
      <ol class="sample">
        {entries.slice(0, 5).map(({ fields }) => (
          <li key={fields.url}>
            <bdi>{fields.title || fields.url}</bdi>
          </li>
        ))}
      </ol>
      {lost.length > 0 && <p class="hint">{t.importing.leftOut(lost.join(', '))}</p>}
      {undated > 0 && <p class="hint">{t.importing.undated(undated)}</p>}
      <Refused refused={refused} />
      <div class="buttons">
        {entries.length > 0 ? (
          <button type="button" class="primary" onClick={onStart}>
            {t.importing.start(entries.length)}
          </button>
        ) : (
          <p>{t.importing.nothing}</p>
        )}
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </div>
    </>
  );
}

interface RunningProps {
  done: number;
  total: number;
  text: string;
  /** The name of the button. */
  stop: string;
  onStop: () => void;
  children?: ComponentChildren;
}

function Running({ done, total, text, stop, onStop, children }: RunningProps): JSX.Element {
  return (
    <>
      <progress value={done} max={total} aria-label={t.importing.heading} />
      <p>{text}</p>
      {children}
      <button type="button" onClick={onStop}>
        {stop}
      </button>
    </>
  );
}

function Finished({ result, onAgain }: { result: ImportResult; onAgain: () => void }): JSX.Element {
  return (
    <>
      <p role="status">{result.isWhole ? t.importing.finished : t.importing.stopped}</p>
      <Numbers
        numbers={[
          [t.importing.added, result.added],
          [t.importing.known, result.known],
          [t.importing.refused, result.refused.length],
        ]}
      />
      <Refused refused={result.refused} />
      <button type="button" onClick={onAgain}>
        {t.importing.again}
      </button>
    </>
  );
}

function Numbers({ numbers }: { numbers: [string, number][] }): JSX.Element {
  return (
    <dl class="numbers">
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Refused({ refused }: { refused: Refusal[] }): JSX.Element | null {
  if (refused.length === 0) return null;
  return (
    <details class="refused">
      <summary>{`${t.importing.refused}: ${refused.length}`}</summary>
      <ul>
        {refused.slice(0, REFUSALS_SHOWN).map(({ place, text, reason: message, kind, errno, field }, at) => (
          <li key={at}>
            {t.importing.place(place)}: <bdi>{text}</bdi> (
            {kind ? t.importing.noPage[kind] : reasonOf({ message, errno, field })})
          </li>
        ))}
        {refused.length > REFUSALS_SHOWN && <li>{t.importing.moreRefused(refused.length - REFUSALS_SHOWN)}</li>}
      </ul>
    </details>
  );
}
