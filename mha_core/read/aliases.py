"""How authors write the names of matrices, in English and Chinese: letters alone, without spaces, digits and fillers.

``names`` brings a left side or a heading into this form: “Raw attention scores (head 1)” is ``rawattentionscores``.
"""

from __future__ import annotations

from typing import Final

_WRITTEN: Final = {
    "x": """
        x input inputs inputmatrix embedding embeddings emb inputembeddings inputembedding tokenembeddings
        wordembeddings xinput inputx 输入 输入序列 输入嵌入 词向量 词嵌入 嵌入 输入向量 输入x inputsequence
        tokens hiddenstates xdec xdecoder xq xtarget xtgt 解码器输入
        """,
    "context": """
        context encoderoutput encoderoutputs memory 上下文输入 编码器输出 enc encout sourcesequence
        xenc xencoder xkv xsource xsrc xcontext
        """,
    "q": """
        q query queries qs querymatrix 查询 查询q query向量 查询向量 qquery qqueries queryvectors queriesq
        queryq qmatrix qproj
        """,
    "k": """
        k key keys ks keymatrix 键 键k 键向量 kkey kkeys keyvectors keysk keyk kmatrix kproj
        """,
    "v": """
        v value values vs valuematrix 值 值v 值向量 vvalue vvalues valuevectors valuesv valuev vmatrix vproj
        """,
    "scores": """
        s score scores rawscores rawscore attentionscore attentionscores attnscores attnscore logits
        dotproducts dotproduct qkt qkts rawattentionscores similarity e unscaledscores scoresraw attnlogits
        注意力分数 分数 得分 注意力得分 原始分数 点积 相似度 原始注意力分数 打分 scorematrix sraw qk
        attentionlogits 原始得分 点积分数 qktscores scoresqkt
        """,
    "scaled_scores": """
        scaledscores scaledscore scaled scaledattentionscores sscaled scoresscaled scaleds scaledlogits
        缩放分数 缩放后分数 缩放后注意力分数 缩放得分 缩放注意力分数 缩放点积 缩放后得分 scaledattention
        scaleddotproduct sscaledscores scaledqkt shat 缩放后
        """,
    "masked_scores": """
        maskedscores masked scoresmasked smasked maskedlogits maskeds 掩码后分数 掩码分数 maskedscaledscores
        掩码后得分 加掩码 加掩码后 加掩码后得分 加掩码后分数 maskedattentionscores 掩码后
        """,
    "weights": """
        a attentionweight attentionweights attnweights attnweight attn attention attentionmatrix softmax
        alpha p weights weightsa attentionprobs probs attentionprobabilities 注意力权重 权重 注意力
        softmax权重 attentionmap attnprobs aweights attentionpattern 注意力权重a attentionweightsa
        softmaxoutput probabilities weight softmaxweights alphas 注意力权重矩阵
        """,
    "head_outputs": """
        head heads headoutput headoutputs z contextvectors contextvector attentionoutput attnoutput attnout
        outputhead headout headi attentionoutputs 头输出 头的输出 注意力输出 注意力表示 加权值
        weightedvalues weightedsum zhead av outhead ctx headcontext 加权和 输出头 contextmatrix
        h singleheadoutput headattention headresult 上下文 上下文向量 headz addedvalues headso oh
        """,
    "concat": """
        concat concatenation concatenated concatenatedheads concatheads concatoutput concatenatedoutput 拼接
        拼接结果 headsconcat headsconcatenated cat multiheadconcat concathead concatenatedoutputs hconcat
        拼接后 拼接输出 concath zconcat
        """,
    "w_o": """
        wo ow outputweights outputprojection outputweight outproj outprojweight woutput wout
        outputprojectionmatrix 输出权重 输出投影 输出投影矩阵 outputweightmatrix ww0 outputmatrixwo
        outlinear projectionwo outputprojectionwo
        """,
    "b_o": """
        bo outputbias outprojbias 输出偏置
        """,
    "output": """
        o output outputs out finaloutput mha multihead multiheadattention multiheadoutput y result mhaoutput
        attentionresult multihead输出 multihead注意力输出 multihead注意力 输出 最终输出 多头输出
        多头注意力输出 多头注意力 final layeroutput outputo 最终结果 mhaout outputmatrix 输出结果
        multiheadout outputy
        """,
    "mask": """
        m mask causalmask attnmask attentionmask maskmatrix 掩码 因果掩码 掩码矩阵 maskm lookaheadmask
        paddingmask 注意力掩码
        """,
}
_OF_ROLES: Final = {
    "w": """
        w{letter} {letter}w {word}weights {word}weight w{word} {word}projection {letter}projweight
        {word}weightmatrix {word}weightsw{letter} weight{letter} weights{letter} {letter}weight
        {letter}weights linear{letter} w{letter}weight {word}w{letter} {word}matrixw{letter}
        projection{letter} {letter}linear {letter}linearweight {chinese}权重 {chinese}投影
        {chinese}权重w{letter} {chinese}权重矩阵w{letter} {chinese}的权重 w{letter}权重
        {word}weightw{letter} {chinese}变换 {word}projectionw{letter} w{letter}proj {chinese}矩阵w{letter}
        weightsw{letter} {chinese}投影w{letter}
        """,
    "b": """
        b{letter} {word}bias bias{letter} {letter}bias {letter}projbias {chinese}偏置
        """,
}
"""Of weights and biases, which each of Q, K and V has."""
_ROLES: Final = (("q", "query", "查询"), ("k", "key", "键"), ("v", "value", "值"))

ALIASES: Final = {
    **{alias: name for name, written in _WRITTEN.items() for alias in written.split()},
    **{
        alias: f"{kind}_{letter}"
        for kind, written in _OF_ROLES.items()
        for letter, word, chinese in _ROLES
        for alias in written.format(letter=letter, word=word, chinese=chinese).split()
    },
}
"""The matrix that each of these names means."""
