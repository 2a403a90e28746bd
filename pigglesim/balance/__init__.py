"""What a designer of the game asks: is it fair, what is each part worth, how does a match go?"""
