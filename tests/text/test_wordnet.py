def test_x(nltk_wordnet):
    print(nltk_wordnet.synsets("halt"), nltk_wordnet.get_version())
