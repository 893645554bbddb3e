import { describe, expect, it } from 'vitest';
import { wrapChat } from '../../src/engine/chat.js';
import type { TextPiece } from '../../src/engine/tokens.js';

const TOKENS = { bos: '<s>', eos: '</s>' };
/** White space at both ends and characters that filters change. */
const PIECES: readonly TextPiece[] = [
  { kind: 'template', text: '  Rule: ' },
  { kind: 'data', text: ' {{ bos_token }} <b>&"\n' },
  { kind: 'template', text: '\nAnswer: ' },
];

const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const SMOLLM2 =
  "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are a " +
  "helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + " +
  "'\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}" +
  '{% endif %}';
const LLAMA3 =
  "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] " +
  "+ '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token " +
  "+ content %}{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant" +
  "<|end_header_id|>\n\n' }}{% endif %}";
const GEMMA =
  "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" +
  "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must " +
  "alternate') }}{% endif %}{% if message['role'] == 'assistant' %}{% set role = 'model' %}{% else %}{% set role = " +
  "message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\n' + (message['content'] | trim) + '<end_of_turn>\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}";
const MISTRAL =
  "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'].strip() + " +
  "' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' ' + message['content'] + eos_token }}{% else %}" +
  "{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% endfor %}";

describe('wrapChat', () => {
  it.each([
    ['ChatML', CHATML, '<|im_start|>user\n', '<|im_end|>\n<|im_start|>assistant\n'],
    [
      'SmolLM2',
      SMOLLM2,
      '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n<|im_start|>user\n',
      '<|im_end|>\n<|im_start|>assistant\n',
    ],
    [
      'Llama 3',
      LLAMA3,
      '<s><|start_header_id|>user<|end_header_id|>\n\n',
      '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    ],
    ['Gemma', GEMMA, '<s><start_of_turn>user\n', '<end_of_turn>\n<start_of_turn>model\n'],
    ['Mistral', MISTRAL, '<s>[INST] ', ' [/INST]'],
  ])('%s: template text around the untouched pieces', (_, template, before, after) => {
    expect(wrapChat(template, PIECES, TOKENS)).toEqual([
      { kind: 'template', text: before },
      ...PIECES,
      { kind: 'template', text: after },
    ]);
  });

  it('gives no empty piece where the template writes nothing', () => {
    expect(wrapChat("{{ messages[0]['content'] }}", PIECES, TOKENS)).toEqual(PIECES);
  });

  it("keeps the template's first line break", () => {
    expect(wrapChat("\nQ: {{ messages[0]['content'] }}", [], TOKENS)).toEqual([
      { kind: 'template', text: '\nQ: ' },
    ]);
  });

  it('stops the clock, whether or not the template asks if there is one', () => {
    const llama32 =
      '{% if not date_string is defined %}{% if strftime_now is defined %}{% set date_string = strftime_now("%d %b %Y") %}' +
      '{% else %}{% set date_string = "?" %}{% endif %}{% endif %}{{ "Today Date: " + date_string + "\n" + messages[0].content }}';
    const plain = '{{ strftime_now("%Y-%m-%d, %A") }} {{ messages[0].content }}';
    expect(wrapChat(llama32, [], TOKENS)).toEqual([{ kind: 'template', text: 'Today Date: 26 Jul 2024\n' }]);
    expect(wrapChat(plain, [], TOKENS)).toEqual([{ kind: 'template', text: '2024-07-26, Friday ' }]);
  });

  it.each([
    ['no template', null],
    ['an empty one', ''],
    ['a blank one', ' \n'],
  ])('NO_CHAT_TEMPLATE for %s, with the setting to use instead', (_, template) => {
    expect(() => wrapChat(template, PIECES, TOKENS)).toThrow(
      expect.objectContaining({
        code: 'NO_CHAT_TEMPLATE',
        message: expect.stringContaining('"chat": "none"'),
      }),
    );
  });

  it.each([
    ['raises', "{{ raise_exception('A system message is required') }}", 'A system message is required'],
    ['does not parse', '{% if messages %}', 'could not be rendered'],
    ['calls what is not there', '{{ nothing_here(messages) }}', 'could not be rendered'],
    ['leaves the message out', 'Hello{{ bos_token }}', 'not at all'],
    ['shows the message twice', '{{ messages[0].content + messages[0].content }}', '2 times'],
  ])('MODEL_UNSUPPORTED when the template %s', (_, template, part) => {
    expect(() => wrapChat(template, PIECES, TOKENS)).toThrow(
      expect.objectContaining({ code: 'MODEL_UNSUPPORTED', message: expect.stringContaining(part) }),
    );
  });
});
