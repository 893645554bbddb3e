import { Template } from '@huggingface/jinja';
import { messageOf, PlumblineError } from '../errors.js';
import type { TextPiece } from './tokens.js';

/** Stands for the message while the template is rendered: private-use characters, which no template trims or escapes. */
const SENTINEL = '\u{f0000}\ue000\u{f0000}';

/**
 * Templates may print today's date. A prompt that changes from day to day is another experiment each day, so the clock
 * stands still, at the day that Llama's templates fall back to.
 */
const FIXED_DATE: Readonly<Record<string, string>> = {
  '%Y': '2024',
  '%y': '24',
  '%m': '07',
  '%d': '26',
  '%B': 'July',
  '%b': 'Jul',
  '%A': 'Friday',
  '%a': 'Fri',
  '%H': '00',
  '%I': '12',
  '%M': '00',
  '%S': '00',
  '%p': 'AM',
};
const CLOCK =
  `{% macro strftime_now(format) %}{{ format${Object.entries(FIXED_DATE)
    .map(([directive, text]) => `.replace('${directive}', '${text}')`)
    .join('')} }}{% endmacro %}` +
  // Without something printed in between, the end of the macro would swallow the template's first line break.
  "{{ '' }}";

/**
 * Puts `pieces` as the user's one message into a model's own chat template, with the opening of the answer behind it.
 * The template is rendered around a stand-in, so a template that trims or filters its message leaves the pieces as they
 * are. A BOS that the template writes stays: the tokenizer adds none in front of it.
 *
 * Throws NO_CHAT_TEMPLATE when `template` is null or blank; MODEL_UNSUPPORTED when it cannot be rendered, or does not
 * show the message exactly once.
 */
export function wrapChat(
  template: string | null,
  pieces: readonly TextPiece[],
  tokens: { readonly bos: string; readonly eos: string },
): TextPiece[] {
  if (template === null || template.trim() === '') {
    throw new PlumblineError(
      'NO_CHAT_TEMPLATE',
      'The profile sets "chat": "model", but the GGUF file holds no chat template (tokenizer.chat_template). ' +
        'Use a profile with "chat": "none", which shows the prompt as raw text, or a file that has a template.',
    );
  }
  const [before, after, ...more] = render(template, tokens).split(SENTINEL);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `The GGUF file's chat template shows the user's message ${more.length === 0 ? 'not at all' : `${more.length + 1} times`}, ` +
        'expected once. Use a profile with "chat": "none".',
    );
  }
  const literal = (text: string): TextPiece[] => (text === '' ? [] : [{ kind: 'template', text }]);
  return [...literal(before), ...pieces, ...literal(after)];
}

function render(template: string, tokens: { readonly bos: string; readonly eos: string }): string {
  try {
    return new Template(CLOCK + template).render({
      messages: [{ role: 'user', content: SENTINEL }],
      add_generation_prompt: true,
      bos_token: tokens.bos,
      eos_token: tokens.eos,
    });
  } catch (error) {
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `The GGUF file's chat template could not be rendered with one user message: ${messageOf(error)}. ` +
        'Use a profile with "chat": "none".',
      { cause: error },
    );
  }
}
