"""Models that transformers computes: every weight is the model's own, every guess the softmax of its logits."""

import subprocess
import sys
from dataclasses import replace
from shutil import copytree

import pytest
import torch

from mha_core import ModelError, backend, dump, parse, trace
from mha_core.example.model import text_in
from mha_core.models import (
    ForeignLayer,
    ForeignModel,
    continued,
    generate,
    guesses,
    measured,
    open_folder,
    open_foreign,
    open_model,
    run,
    to_example,
    tokenize,
)
from tests.models.folders import changed
from tests.models.foreign import DECODERS, ENCODERS, saved, text_of

TEXT = text_of(11)
MOST = 1e-6


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Family → its model and the folder that it was saved in."""
    known = {}

    def find(name):
        if name not in known:
            folder = tmp_path_factory.mktemp("model")
            known[name] = (saved(name, folder), folder)
        return known[name]

    return find


def reference(model, **inputs):
    model.set_attn_implementation("eager")
    with torch.no_grad():
        return model(**inputs, output_attentions=True)


def ids_of(tokens):
    return torch.tensor([tokens.ids])


@pytest.mark.parametrize("name", [*DECODERS, *ENCODERS])
def test_weights_and_guesses_are_the_models_own(name, folder_of):
    theirs, folder = folder_of(name)
    ours = open_foreign(folder)
    tokens = tokenize(ours, TEXT)
    found, wanted = run(ours, tokens), reference(theirs, input_ids=ids_of(tokens))
    assert ours.architecture.causal == (name in DECODERS)
    assert (ours.architecture.layers, ours.architecture.heads) == (2, 6)
    for layer, weights in zip(found.layers, wanted.attentions, strict=True):
        assert (layer.weights - weights[0]).abs().max() <= MOST
    place = len(tokens) - 2
    likeliest = wanted.logits[0, place].softmax(-1).topk(5)
    said = guesses(ours, found, place, 5)
    assert [guess.id for guess in said] == likeliest.indices.tolist()
    assert [guess.probability for guess in said] == pytest.approx(likeliest.values.tolist(), abs=MOST)


def attended(scoring):
    """softmax(cap(q·k ÷ divisor) + added), pair by pair, from the numbers that are shown."""
    n = len(scoring.q)
    rows = torch.zeros(n, n, dtype=torch.float64)
    for i in range(n):
        for j in range(n):
            score = (scoring.q[i].double() @ scoring.k[j].double()) / scoring.divisor
            score = (
                score if scoring.softcap is None else scoring.softcap * torch.tanh(score / scoring.softcap)
            )
            score = score if scoring.added is None else score + scoring.added[i, j]
            rows[i, j] = -torch.inf if scoring.scores[i, j] == -torch.inf else score
    if scoring.sink is not None:
        rows = torch.cat([rows, torch.full((n, 1), scoring.sink, dtype=torch.float64)], -1)
    return rows.softmax(-1)[:, :n]


KINDS_OF_SCORES = {
    "Qwen3": set(),
    "Mistral": set(),
    "OPT": set(),
    "Gemma 2": {"softcap"},
    "BLOOM": {"added"},
    "MPT": {"added"},
    "DeBERTa-v2": {"added"},
    "gpt-oss": {"sink"},
}


@pytest.mark.parametrize("name", KINDS_OF_SCORES)
def test_the_arithmetic_of_a_head_gives_its_weights(name, folder_of):
    model = open_foreign(folder_of(name)[1])
    said = set()
    for layer in run(model, tokenize(model, TEXT)).layers:
        scoring = layer.scoring(4)
        assert (attended(scoring) - layer.weights_of(4)).abs().max() <= 1e-5
        said |= {part for part in ("softcap", "added", "sink") if getattr(scoring, part) is not None}
    assert said == KINDS_OF_SCORES[name]


def test_where_the_scores_are_not_known_nothing_is_said_of_them(folder_of):
    model = open_foreign(folder_of("Qwen3")[1])
    layer = run(model, tokenize(model, TEXT)).layers[0]
    weights_alone = ForeignLayer(replace(layer.captured, q=None, k=None, causal=False), causal=True)
    assert weights_alone.scoring(0) is None
    assert weights_alone.seen is None


@pytest.mark.parametrize("name", ["BERT", "GPT-2", "Llama", "Mistral"])
def test_our_own_forward_and_transformers_agree(name, folder_of):
    own, theirs = open_model(folder_of(name)[1]), open_foreign(folder_of(name)[1])
    tokens = tokenize(own, TEXT)
    assert tokenize(theirs, TEXT) == tokens
    off = {(0, 2), (1, 5)}
    for without in (set(), off):
        one, other = run(own, tokens, without=without), run(theirs, tokens, without=without)
        for layer, foreign in zip(one.layers, other.layers, strict=True):
            assert (layer.weights - foreign.weights).abs().max() <= 1e-5
            for head in (0, 5):
                ours, his = layer.scoring(head), foreign.scoring(head)
                assert ours.divisor == pytest.approx(his.divisor)
                assert (layer.seen is None) == (foreign.seen is None)
                torch.testing.assert_close(ours.scores, his.scores, atol=1e-4, rtol=0)
        place = len(tokens) - 2
        said = [
            [(guess.id, guess.probability) for guess in guesses(model, found, place, 4)]
            for model, found in ((own, one), (theirs, other))
        ]
        assert [number for number, _ in said[0]] == [number for number, _ in said[1]]
        assert [chance for _, chance in said[0]] == pytest.approx([chance for _, chance in said[1]], abs=1e-5)


def test_a_window_of_mistral_is_no_limit_of_the_text(folder_of):
    own = open_model(folder_of("Mistral")[1])
    assert own.architecture.window == 4
    layer = run(own, tokenize(own, TEXT)).layers[0]
    assert own.most_tokens == 32
    assert [(row > 0).sum().item() for row in layer.weights[0]] == [1, 2, 3, *[4] * 8]


# --- encoders with decoders ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["T5", "BART"])
def test_the_encoder_and_the_decoder_are_shown_apart(name, folder_of):
    theirs, folder = folder_of(name)
    encoder, decoder = open_foreign(folder), open_foreign(folder, part="decoder")
    read, written = tokenize(encoder, TEXT), tokenize(decoder, TEXT)
    start = theirs.config.decoder_start_token_id
    assert written.ids == (start, *read.ids[:-1])
    assert written.special == (True, *read.special[:-1])
    wanted = reference(theirs, input_ids=ids_of(read), decoder_input_ids=ids_of(written))
    shown = [(encoder, read, wanted.encoder_attentions), (decoder, written, wanted.decoder_attentions)]
    for model, tokens, attentions in shown:
        for layer, weights in zip(run(model, tokens).layers, attentions, strict=True):
            assert (layer.weights - weights[0]).abs().max() <= MOST
    assert (encoder.architecture.causal, encoder.can_guess) == (False, False)
    assert (decoder.architecture.causal, decoder.can_guess, decoder.can_continue) == (True, True, False)
    for model in (encoder, decoder):
        with pytest.raises(
            ModelError, match="this model has an encoder and a decoder; here only models that are"
        ):
            generate(model, TEXT, 3)
    said = guesses(decoder, run(decoder, written), 4, 3)
    likeliest = wanted.logits[0, 4].softmax(-1).topk(3)
    assert [guess.id for guess in said] == likeliest.indices.tolist()
    assert [guess.probability for guess in said] == pytest.approx(likeliest.values.tolist(), abs=MOST)


# --- heads, orders, examples -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Gemma 2", "ALBERT", "T5"])
def test_heads_that_are_switched_off_are_those_of_capture(name, folder_of):
    model = open_foreign(folder_of(name)[1], part="decoder" if name == "T5" else "encoder")
    tokens = tokenize(model, TEXT)
    whole, off = run(model, tokens), run(model, tokens, without=[(0, 1)])
    assert torch.equal(whole.layers[0].weights, off.layers[0].weights)
    assert not torch.equal(whole.layers[1].weights, off.layers[1].weights)
    assert not off.layers[0].captured.outputs[1].any()
    assert off.without == ((0, 1),)
    with pytest.raises(ModelError, match="there is no head 6 in layer 0"):
        run(model, tokens, without=[(0, 6)])


def test_words_outside_a_window_are_no_places_to_look_at(folder_of):
    """Gemma 2's first layer sees four tokens: by chance the token before gets a third of the others' weight."""
    model = open_foreign(folder_of("Gemma 2")[1])
    tokens = tokenize(model, TEXT)
    found = run(model, tokens)
    assert found.layers[0].seen.sum(-1).tolist() == [1, 2, 3, *[4] * 8]
    assert found.layers[1].seen is None
    (windowed, *_), (whole, *_) = measured(tokens, found)
    nulls = [record.measures["previous"].null for record in (windowed, whole)]
    assert nulls[0] > nulls[1]


@pytest.mark.parametrize("name", ["Phi", "BLOOM", "gpt-oss", "ALBERT"])
def test_heads_become_an_example_with_the_models_weights(name, folder_of):
    model = open_foreign(folder_of(name)[1], "A model")
    tokens = tokenize(model, TEXT)
    found = run(model, tokens)
    example = parse(dump(to_example(model, found, tokens, 1, [4, 0])))
    computed = trace(example, backend("cpu", "float64"))
    assert (computed["weights"] - found.layers[1].weights[[4, 0]]).abs().max() <= 1e-5
    assert text_in(example.title, "en") == "A model, layer 2, heads 5, 1"
    assert example.tokens == tokens.texts


@pytest.mark.parametrize("by", ["max", "mean"])
def test_a_part_of_a_map_is_pooled_as_our_own(by, folder_of):
    own, theirs = open_model(folder_of("Llama")[1]), open_foreign(folder_of("Llama")[1])
    tokens = tokenize(own, TEXT)
    one, other = (run(model, tokens).layers[1] for model in (own, theirs))
    ours, his = (layer.pooled(3, (3, 4), by, range(2, 11), None) for layer in (one, other))
    assert (ours.queries, ours.keys) == (his.queries, his.keys)
    torch.testing.assert_close(ours.values, his.values, atol=1e-5, rtol=0)


# --- continued -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DECODERS, "GPT-2"])
def test_a_step_with_transformers_cache_is_a_run_of_the_whole_text(name, folder_of):
    """In float64, so that rounding hides no fault; only experts are float32, their one dtype."""
    dtype = torch.float32 if name in ("gpt-oss", "Mixtral") else torch.float64
    model = open_foreign(folder_of(name)[1], dtype=dtype)
    past = run(model, tokenize(model, TEXT))
    step = continued(model, continued(model, past, 6), 9)
    assert past.cache.get_seq_length() == 11  # whoever has it may go on from here again
    whole = run(model, step.ids)
    assert step.from_cache
    for ours, theirs in zip(step.layers, whole.layers, strict=True):
        assert (ours.weights - theirs.weights).abs().max() <= MOST
        one, other = ours.scoring(2), theirs.scoring(2)
        assert (one is None) == (other is None)
        if one is not None:
            assert (attended(one) - attended(other)).abs().max() <= 1e-5
        assert (ours.seen is None) == (theirs.seen is None)
    said = [[guess.id for guess in guesses(model, found, 12, 19)] for found in (step, whole)]
    assert said[0] == said[1]


def test_without_a_cache_the_whole_text_is_run_again_and_the_run_says_so(folder_of):
    model = replace(open_foreign(folder_of("Qwen3")[1]), caches=False)
    step = continued(model, run(model, tokenize(model, TEXT)), 6)
    assert not step.from_cache
    whole = run(model, step.ids)
    assert all(
        torch.equal(one.weights, other.weights) for one, other in zip(step.layers, whole.layers, strict=True)
    )


# --- refused ---------------------------------------------------------------------------------------------------------


def without_tokenizer(folder):
    for path in folder.glob("tokenizer*"):
        path.unlink()


def with_kind(kind):
    return lambda folder: changed(folder, model_type=kind)


def without_numbers(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def of_another_kind(folder):
    changed(folder, model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"])


REFUSED = {
    "no tokenizer": (without_tokenizer, "the folder of this model of type 'qwen3' has no tokenizer"),
    "no safetensors": (without_numbers, "has no model.safetensors"),
    "an unknown kind": (with_kind("qwen99"), "transformers cannot load this model of type 'qwen99'"),
    "code of its own": (
        lambda folder: changed(folder, model_type="own", auto_map={"AutoConfig": "evil.Config"}),
        "transformers cannot load this model of type 'own'",
    ),
    "numbers of another kind": (of_another_kind, "is missing from the model's files"),
    "no attention": (with_kind("mamba"), "of type 'mamba'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_loaded_is_refused_in_one_sentence_without_its_path(name, folder_of, tmp_path):
    change, sentence = REFUSED[name]
    folder = tmp_path / "copied"
    copytree(folder_of("Qwen3")[1], folder)
    (folder / "evil.py").write_text("raise SystemExit('run')\n", "utf-8")
    change(folder)
    with pytest.raises(ModelError) as caught:
        open_folder(folder)
    said = str(caught.value)
    assert sentence in said
    assert said.isprintable()
    assert str(tmp_path) not in said
    assert len(said) < 300


def test_without_transformers_the_kind_and_the_extra_are_named(folder_of, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ModelError, match="models of type 'qwen3' need the package transformers: pip install"):
        open_folder(folder_of("Qwen3")[1])


def test_a_setting_that_our_own_forward_does_not_compute_is_left_to_transformers(folder_of, tmp_path):
    copytree(folder_of("Llama")[1], tmp_path, dirs_exist_ok=True)
    long = {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4, "original_max_position_embeddings": 16}
    changed(tmp_path, rope_parameters={"rope_type": "longrope", "rope_theta": 10000.0, **long})
    model = open_folder(tmp_path)
    assert isinstance(model, ForeignModel)
    assert len(run(model, tokenize(model, TEXT)).layers) == 2


def test_a_text_that_is_too_long_for_the_model_is_refused(folder_of):
    model = open_foreign(folder_of("OPT")[1])
    with pytest.raises(ModelError, match="the text is 33 tokens long; this model takes at most 32"):
        tokenize(model, text_of(33))


@pytest.mark.parametrize(("layers", "most"), [(12, 1178), (1, 4082)])
def test_weights_of_all_heads_fit_into_memory(layers, most, folder_of):
    model = open_foreign(folder_of("BLOOM")[1])
    size = replace(model.architecture, layers=layers, heads=12)
    assert replace(model, architecture=size).most_tokens == most


def test_known_kinds_are_run_without_transformers(folder_of):
    program = (
        "import sys; from pathlib import Path; from mha_core.models import open_folder, run, tokenize;"
        "model = open_folder(Path(sys.argv[1])); run(model, tokenize(model, 'the cat'));"
        "assert 'transformers' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, folder_of("Llama")[1]], check=True)


# --- from the decoder to the encoder ---------------------------------------------------------------------------------

SOURCE = "the dog liked the rug , and the cat sat ."


@pytest.mark.parametrize("name", ["T5", "BART"])
@pytest.mark.parametrize("source", [None, SOURCE], ids=["the same text", "a source"])
def test_cross_attention_is_the_model_s_own(name, source, folder_of):
    theirs, folder = folder_of(name)
    model = open_foreign(folder, part="cross")
    tokens = tokenize(model, TEXT)
    given = None if source is None else model.reader.source(source)
    found = model.run(tokens, (), given)
    read = model.reader.source(TEXT if source is None else source)
    with torch.no_grad():
        wanted = theirs(
            input_ids=torch.tensor([read.ids]),
            decoder_input_ids=torch.tensor([tokens.ids]),
            output_attentions=True,
        ).cross_attentions
    assert found.keys == read.texts
    assert len(found.layers) == len(wanted)
    for layer, weights in zip(found.layers, wanted, strict=True):
        assert layer.weights.shape == (layer.heads, len(tokens), len(read))
        assert (layer.weights - weights[0]).abs().max() <= 1e-6


def test_heads_of_cross_attention_become_an_example_with_a_context(folder_of):
    model = open_foreign(folder_of("BART")[1], part="cross")
    tokens = tokenize(model, TEXT)
    found = model.run(tokens, (), model.reader.source(SOURCE))
    example = to_example(model, found, tokens, 1, [2, 0])
    assert example.context_tokens == found.keys
    weights = trace(example, backend("cpu", "float64"))["weights"]
    assert (weights - found.layers[1].weights[[2, 0]]).abs().max() <= 1e-6


def test_the_decoder_attends_to_itself_while_the_encoder_reads_a_source(folder_of):
    theirs, folder = folder_of("BART")
    model = open_foreign(folder, part="decoder")
    tokens, read = tokenize(model, TEXT), model.reader.source(SOURCE)
    found = model.run(tokens, (), read)
    with torch.no_grad():
        wanted = theirs(
            input_ids=torch.tensor([read.ids]),
            decoder_input_ids=torch.tensor([tokens.ids]),
            output_attentions=True,
        )
    assert found.keys is None
    for layer, weights in zip(found.layers, wanted.decoder_attentions, strict=True):
        assert (layer.weights - weights[0]).abs().max() <= 1e-6


def test_a_source_needs_an_encoder_beside_a_decoder(folder_of):
    model = open_foreign(folder_of("Gemma 2")[1])
    with pytest.raises(ModelError, match="source: no encoder reads another text"):
        model.run(tokenize(model, TEXT), (), tokenize(model, TEXT))


@pytest.mark.parametrize("name", ["Gemma 2", "GPT-2"])
@pytest.mark.parametrize("part", ["decoder", "cross"])
def test_a_model_that_is_not_in_two_halves_has_no_such_part(name, part, folder_of):
    with pytest.raises(ModelError, match="this model has no decoder beside an encoder"):
        open_folder(folder_of(name)[1], part=part)
