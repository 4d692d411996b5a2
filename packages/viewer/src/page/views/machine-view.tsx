/** The machine: its diagram with the current state, and every decision of a turn, forward and backward. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import type { DecisionStep, RunDecisions } from '../../model/decisions.ts';
import { runsOf } from '../../model/runs.ts';
import { countText, visibleText, words } from '../data/format.ts';
import type { SessionData } from '../data/use-session.ts';
import { type LoadedDecisions, useDecisions } from '../data/use-decisions.ts';
import { MachineDrawing } from '../parts/machine-drawing.tsx';
import { Problem } from '../parts/problem.tsx';

interface MachineViewProps {
  readonly source: ViewerSource;
  readonly id: string;
  readonly data: SessionData;
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

export function MachineView({ source, id, data, line, onSelect }: MachineViewProps) {
  const runs = useMemo(() => runsOf(data.facts), [data.facts]);
  const [run, setRun] = useState(() =>
    Math.max(
      0,
      runs.findIndex(({ lastLine }) => lastLine >= (line ?? 0)),
    ),
  );
  const [at, setAt] = useState(0);
  const { decisions, error } = useDecisions(source, id, run, runs[run]?.lastLine);
  useSelectedStep(decisions, line, setAt);
  const steps = decisions?.steps ?? [];
  const step = steps[Math.min(at, steps.length - 1)];
  const last = steps.length - 1;
  const move = (by: number): void => setAt((before) => Math.max(0, Math.min(last, before + by)));
  useStepKeys(move);
  if (runs.length === 0) return <Problem title="There is no turn yet." />;
  return (
    <section class="machine-view" aria-label="Machine">
      <div class="toolbar">
        <select
          aria-label="Turn"
          value={run}
          onChange={(event) => {
            setRun(Number(event.currentTarget.value));
            setAt(0);
          }}
        >
          {runs.map(({ index, prompt }) => (
            <option key={index} value={index}>
              {index + 1}. {visibleText(prompt.slice(0, 60))}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => move(-1)} disabled={at === 0} aria-label="Previous decision">
          ‹
        </button>
        <button
          type="button"
          onClick={() => move(1)}
          disabled={at >= steps.length - 1}
          aria-label="Next decision"
        >
          ›
        </button>
        <span class="dim" role="status">
          {positionText(decisions, Math.min(at, last))}
        </span>
      </div>
      {error === '' ? null : <p class="bad-text">{error}</p>}
      {step && decisions ? <StepDetail step={step} decisions={decisions} onSelect={onSelect} /> : null}
      <MachineDrawing lit={step && { effect: step.effect, next: step.next.name }} />
      <StepList steps={steps} at={Math.min(at, last)} onPick={setAt} />
    </section>
  );
}

function positionText(decisions: LoadedDecisions | undefined, at: number): string {
  if (!decisions) return 'replaying…';
  if (decisions.stepCount === 0) return 'no decision';
  return `${countText(at + 1)} of ${countText(decisions.stepCount)}`;
}

/** Shows the decision of the selected line, once, when it is loaded. */
function useSelectedStep(
  decisions: LoadedDecisions | undefined,
  line: number | undefined,
  show: (at: number) => void,
): void {
  const shown = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (!decisions || line === undefined || shown.current === line) return;
    const at = stepOfLine(decisions, line);
    if (at < 0) return;
    shown.current = line;
    show(at);
  }, [decisions, line]);
}

/** Returns the first step of the iteration that stored the line, or -1 if it is not loaded. */
function stepOfLine({ iterations, steps }: RunDecisions, line: number): number {
  const wanted = iterations.find(({ stored }) => (stored.at(-1)?.line ?? -1) >= line)?.iteration;
  return steps.findIndex(({ iteration }) => iteration === wanted);
}

/** The list shows this number of steps before and after the current one. A long turn has ten thousand steps. */
const LISTED_STEPS = 100;

interface StepListProps {
  readonly steps: readonly DecisionStep[];
  readonly at: number;
  readonly onPick: (at: number) => void;
}

function StepList({ steps, at, onPick }: StepListProps) {
  const from = Math.max(0, at - LISTED_STEPS);
  const to = Math.min(steps.length, at + LISTED_STEPS + 1);
  return (
    <>
      <OtherSteps count={from} where="before" onPick={() => onPick(from)} />
      <ol class="steps">
        {steps.slice(from, to).map((one, index) => (
          <li key={from + index}>
            <button
              type="button"
              class={from + index === at ? 'change selected' : 'change'}
              onClick={() => onPick(from + index)}
            >
              <b>{words(one.effect)}</b>
              <span>
                {visibleText(one.event)} → {visibleText(one.decision)}
              </span>
              <span class="dim">{one.iteration}</span>
            </button>
          </li>
        ))}
      </ol>
      <OtherSteps count={steps.length - to} where="after" onPick={() => onPick(to - 1)} />
    </>
  );
}

interface OtherStepsProps {
  readonly count: number;
  readonly where: 'before' | 'after';
  readonly onPick: () => void;
}

function OtherSteps({ count, where, onPick }: OtherStepsProps) {
  if (count <= 0) return null;
  return (
    <button type="button" class="more" onClick={onPick}>
      {countText(count)} more {where} these
    </button>
  );
}

interface StepDetailProps {
  readonly step: DecisionStep;
  readonly decisions: RunDecisions;
  readonly onSelect: (line: number) => void;
}

const VERDICTS = {
  confirmed: 'The machine decides the same again.',
  parted: 'The machine would decide differently now.',
  undecided: 'The log has no decision here: it ends, or the engine ended the run.',
  unchecked: 'The state before this iteration is unknown.',
} as const;

function StepDetail({ step, decisions, onSelect }: StepDetailProps) {
  const iteration = decisions.iterations.find((one) => one.iteration === step.iteration);
  return (
    <dl class="step">
      <dt>event</dt>
      <dd>
        <code>{words(step.effect)}</code> ended: {visibleText(step.event)}
      </dd>
      <dt>guards</dt>
      <dd>
        {step.guards.length === 0 ? <span class="dim">none asked</span> : null}
        {step.guards.map(({ name, answer, text }, index) => (
          <span key={index} class={answer ? 'guard yes' : 'guard no'} title={name}>
            {answer ? '✓' : '✗'} {text}
          </span>
        ))}
      </dd>
      <dt>decision</dt>
      <dd>
        <b>{step.next.kind}</b> {visibleText(step.decision)}
      </dd>
      <dt>state</dt>
      <dd class="dim">{step.state}</dd>
      <dt>stored</dt>
      <dd class="stored">
        {(iteration?.stored ?? []).map(({ line, text }) => (
          <button type="button" key={line} onClick={() => onSelect(line)}>
            {visibleText(text)}
          </button>
        ))}
      </dd>
      <dt>replay</dt>
      <dd class={iteration?.verdict === 'parted' ? 'bad-text' : 'dim'}>
        {iteration ? VERDICTS[iteration.verdict] : ''}{' '}
        {decisions.settings === '' ? '' : `With ${decisions.settings}.`}
      </dd>
    </dl>
  );
}

/** Left and right step through the decisions, unless the focus is in a field. */
function useStepKeys(move: (by: number) => void): void {
  // Before the page is painted: a key that is pressed as soon as the steps are shown must move.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target } = event;
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
      if (event.key === 'ArrowLeft') move(-1);
      if (event.key === 'ArrowRight') move(1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [move]);
}
